"""Predictions from the command's question to its answer, on machines whose times are plain."""

import io
import math

import msgspec
import pytest

from leadline.core.errors import UserError
from leadline.model.platform import Network, Node, Platform, Software, Step
from leadline.output.html.map import render_map
from leadline.output.terminal.prediction import print_predictions
from leadline.predict import question
from leadline.predict.engine import Engine
from leadline.predict.machines import machine_of_platform
from leadline.predict.question import Asked, Noise, answer
from leadline.topology.platforms.routes import Routes

# o = 1 us, L = 2 us on each of two links, 1 GB/s; within a node 1 us and 4 GB/s.
PLATFORM = Platform(
    format=1,
    name="plain",
    summary="",
    source="",
    nodes=64,
    topology={"kind": "crossbar"},
    network=Network(bandwidth=1e9, latency_s=2e-6),
    node=Node(cores=8, flops=1e9, bandwidth=4e9, latency_s=1e-6),
    software=Software(send=(Step(0, 1e-6),), receive=(Step(0, 1e-6),), eager_bytes=1 << 20),
)


@pytest.fixture
def predict(schedules):
    def ask(platform=PLATFORM, warn=lambda _: None, **asked):
        machine, ways = machine_of_platform(platform), Routes(platform)
        with Engine(schedules.path) as engine:
            return answer(Asked(**asked), schedules.listing, machine, ways, engine, warn=warn)

    return ask


def test_a_hypercube_takes_as_many_messages_as_dimensions(predict):
    found = predict(
        benchmark="mpi/allreduce", processes=(8, 64), algorithms=("recursive_doubling",),
        sizes=(8000,), local_work=False,
    )  # fmt: skip
    for one in found.predictions:
        dimensions = int(math.log2(one.processes))
        assert one.seconds == pytest.approx(dimensions * (2e-6 + 4e-6 + 8e-6), rel=1e-9)
        assert one.messages == one.processes * dimensions
        assert one.steps == dimensions
        assert one.network_bytes == one.moved_bytes == one.messages * 8000
        assert one.predicted is True
    assert found.predicted is True


def test_an_algorithm_of_very_many_messages_is_left_out_unless_it_is_named(predict, monkeypatch):
    asked = {"benchmark": "mpi/allreduce", "processes": (64,), "sizes": (8192,)}
    whole = predict(**asked, algorithms=("ring",)).predictions
    assert whole[0].messages == 64 * 2 * 63
    monkeypatch.setattr(question, "_MANY_MESSAGES", 5000)
    found = predict(**asked)
    assert "ring" not in {one.algorithm for one in found.predictions}
    assert "recursive_doubling" in {one.algorithm for one in found.predictions}
    [left] = [one for one in found.left_out if one.algorithm == "ring"]
    assert left.reason == "8.1e3 messages; --algorithm ring predicts it anyway"
    monkeypatch.setattr(question, "_LONG_MESSAGES", 5000)
    told = []
    assert predict(**asked, algorithms=("ring",), warn=told.append).predictions == whole
    assert told == ["ring on 64x1: 8.1e3 messages: more than ten minutes"]


def test_an_algorithm_is_found_under_its_former_name(predict):
    asked = {"benchmark": "mpi/allreduce", "processes": (4,), "sizes": (8,)}
    former, now = (
        predict(**asked, algorithms=(name,)).predictions
        for name in ("hypercube", "recursive_doubling")
    )
    assert former == now


def test_local_work_takes_the_time_of_a_core(predict):
    asked = {
        "benchmark": "mpi/allreduce",
        "processes": (8,),
        "algorithms": ("recursive_doubling",),
        "sizes": (8000,),
    }
    (with_work,) = predict(**asked).predictions
    (without,) = predict(**asked, local_work=False).predictions
    # Three reductions of 1000 doubles. No copy is needed.
    assert with_work.seconds - without.seconds == pytest.approx(3 * 1000 / 1e9, rel=1e-6)


def test_an_order_of_ranks_moves_messages_into_nodes(predict):
    asked = {
        "benchmark": "mpi/allreduce", "processes": (64,), "algorithms": ("rabenseifner",),
        "sizes": (65536,), "per_node": 2,
    }  # fmt: skip
    (smp,) = predict(**asked, order="smp").predictions
    (dealt,) = predict(**asked, order="round-robin").predictions
    # Half of the data goes to the next rank, which is on the same node; or on another.
    assert smp.moved_bytes == dealt.moved_bytes
    assert smp.network_bytes == pytest.approx(0.5 * smp.moved_bytes, rel=0.02)
    assert dealt.network_bytes > 0.98 * dealt.moved_bytes
    assert smp.seconds < 0.8 * dealt.seconds


def test_the_fastest_is_told_for_each_size(predict):
    found = predict(benchmark="mpi/allgather", processes=(64,), sizes=(8, 65536))
    small, large = found.fastest
    assert small.algorithm in ("bruck", "recursive_doubling")
    for one in found.fastest:
        same = [each for each in found.predictions if each.bytes == one.bytes]
        assert one.seconds == min(each.seconds for each in same)
        assert one.factor >= 1
    assert (small.bytes, large.bytes) == (8, 65536)


def test_far_nodes_of_a_torus_take_more_links(predict):
    torus = msgspec.structs.replace(PLATFORM, topology={"kind": "torus", "shape": [8, 8, 1]})
    asked = {"benchmark": "mpi/bcast", "algorithms": ("binomial",), "sizes": (8,)}
    (near,) = predict(torus, processes=(2,), **asked).predictions
    assert near.seconds == pytest.approx(2e-6 + 2e-6 + 8e-9)
    # The first message goes to rank 32, half of the second dimension away.
    (far,) = predict(torus, processes=(64,), **asked).predictions
    flat = 6 * (2e-6 + 8e-9) + (4 + 2 + 1 + 4 + 2 + 1) * 2e-6
    assert far.seconds == pytest.approx(flat)


TORUS = msgspec.structs.replace(PLATFORM, topology={"kind": "torus", "shape": [8, 8, 1]})


def test_messages_that_meet_inside_a_torus_share_its_links(predict):
    asked = {
        "benchmark": "mpi/alltoall", "algorithms": ("linear",), "sizes": (100000,),
        "processes": (64,), "local_work": False,
    }  # fmt: skip
    (shared,) = predict(TORUS, **asked).predictions
    (alone,) = predict(TORUS, **asked, contention=False).predictions
    assert (shared.contention, alone.contention) == (True, False)
    ways = Routes(TORUS)
    crossing = dict.fromkeys(range(2 * len(ways.graph.edges)), 0)
    for one in range(64):
        for other in range(64):
            at = one
            for edge in ways.route(one, other):
                ends = ways.graph.edges[edge]
                crossing[2 * edge + (at == ends.other)] += 1
                at = ends.one if at == ends.other else ends.other
    most = max(crossing.values()) * 100000
    assert shared.busiest.bytes == most
    assert shared.seconds > most / 1e9 > alone.seconds
    assert shared.busiest.busy_fraction == pytest.approx(most / 1e9 / shared.seconds)


def test_a_medium_that_all_share_is_the_busiest_link(predict):
    bus = msgspec.structs.replace(PLATFORM, topology={"kind": "bus"})
    (found,) = predict(
        bus, benchmark="mpi/allgather", algorithms=("ring",), sizes=(100000,), processes=(8,),
        local_work=False,
    ).predictions  # fmt: skip
    assert (found.busiest.one, found.busiest.other) == ("bus", "bus")
    assert found.busiest.bytes == found.network_bytes == 8 * 7 * 100000
    assert found.seconds > found.network_bytes / 1e9


def test_a_map_has_the_bytes_of_every_link(predict):
    found = predict(
        TORUS, benchmark="mpi/allgather", algorithms=("ring",), sizes=(1000,), processes=(32,),
        drawn=True,
    )  # fmt: skip
    (one,) = found.predictions
    drawn = found.map
    assert [node.ranks for node in drawn.nodes] == [*((rank,) for rank in range(32)), *[()] * 32]
    ways = Routes(TORUS)
    expected = dict.fromkeys(range(len(drawn.links)), 0)
    for rank in range(32):
        for edge in ways.route(rank, (rank + 1) % 32):
            expected[edge] += 31 * 1000
    assert [link.bytes for link in drawn.links] == list(expected.values())
    assert max(link.MBps for link in drawn.links) == pytest.approx(
        max(expected.values()) / one.seconds / 1e6, rel=1e-4
    )
    assert drawn.traffic.predicted is True
    out = io.StringIO()
    print_predictions(found, out, drawn=True)
    assert "of plain, predicted" in out.getvalue()
    assert f"Busiest link: {one.busiest.one} to {one.busiest.other}" in out.getvalue()
    assert "algorithm=ring of plain, predicted" in render_map(drawn)


def test_beyond_so_many_nodes_no_links_are_shared_and_that_is_told(predict, monkeypatch):
    monkeypatch.setattr("leadline.predict.question.MOST_NODES", 16)
    asked = {"benchmark": "mpi/bcast", "algorithms": ("binomial",), "sizes": (8,)}
    found = predict(TORUS, **asked, processes=(16, 32))
    assert [one.contention for one in found.predictions] == [True, False]
    assert [one.busiest is None for one in found.predictions] == [False, True]
    out = io.StringIO()
    print_predictions(found, out)
    assert "were not shared on 32 nodes" in out.getvalue()
    with pytest.raises(UserError, match="a map has up to 16 nodes"):
        predict(TORUS, **asked, processes=(32,), drawn=True)


def test_noise_on_more_tasks_is_met_by_nearly_every_exchange(predict):
    found = predict(
        benchmark="mpi/halo", processes=(2, 64), algorithms=("at_once",), sizes=(4096,),
        noise=Noise(probability=1 / 200, calls=2000, seed=3),
    )  # fmt: skip
    assert not any(one.contention for one in found.predictions)
    few, many = (one.jitter for one in found.predictions)
    for jitter, tasks in ((few, 2), (many, 64)):
        expected = 1 - (1 - 1 / 200) ** tasks
        assert jitter.independent_late_fraction == pytest.approx(expected)
        assert jitter.independent_maximum_over_average == pytest.approx((1 + expected) / 1.005)
        assert jitter.maximum_over_average >= 1
    assert many.late_fraction > few.late_fraction
    # Who waits for somebody late is late too: AVG grows beyond that of tasks for themselves.
    assert many.average_s > 1.05 * many.alone_s
    assert many.late_fraction > many.independent_late_fraction
    again = predict(
        benchmark="mpi/halo", processes=(2, 64), algorithms=("at_once",), sizes=(4096,),
        noise=Noise(probability=1 / 200, calls=2000, seed=3),
    )  # fmt: skip
    assert again == found


def test_what_a_library_does_itself_is_left_out_with_its_reason(predict):
    found = predict(benchmark="mpi/halo", processes=(16,), sizes=(8,))
    left_out = {one.algorithm: one.reason for one in found.left_out}
    assert {"neighbourhood", "one_sided"} <= set(left_out)
    assert all("library's own" in reason for reason in left_out.values())
    assert {"at_once", "staged"} <= {one.algorithm for one in found.predictions}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"benchmark": "mpi/self"}, "mpi/self cannot be predicted: take one of mpi/allgather"),
        ({"algorithms": ("shared",)}, "no algorithm shared .* take binomial, chain"),
        ({"processes": (1,)}, "--processes 1: take from 2"),
        ({"processes": (128,)}, "need 128 nodes at 1 on each, and plain has 64"),
        ({"processes": (9,), "per_node": 2}, "--processes 9 do not fill nodes of 2"),
        ({"root": 8}, "--root 8: there is no such rank among 8"),
        ({"sizes": (1 << 32,)}, "from 0 to 2G"),
        ({"benchmark": "mpi/reduce", "sizes": (9,)}, "multiples of 8"),
        ({"benchmark": "mpi/barrier", "sizes": (8,)}, "has none: leave it out"),
        ({"noise": Noise(probability=0.1, calls=2, seed=1)}, "--noise is for halo exchanges"),
        ({"drawn": True}, "a map has one prediction and .* are asked for: give one value each"),
        ({"order": "no-such-file"}, "order 'no-such-file' cannot be read"),
    ],
)
def test_what_makes_no_sense_is_one_line(predict, asked, said):
    with pytest.raises(UserError, match=said):
        predict(**{"benchmark": "mpi/bcast", "processes": (8,), **asked})
