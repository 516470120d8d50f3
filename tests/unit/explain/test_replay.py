"""A recorded program's communication as a plan: what is measured, and what is said not to be."""

import tomllib
from pathlib import Path

import pytest
from checkout import CHECKOUT
from recordings import late_rank, rank, row

from leadline.core.errors import UserError
from leadline.explain.replay import replay
from leadline.explain.replay_plan import format_plan
from leadline.measure.plan.checks import check_plan
from leadline.measure.plan.plans import to_plan
from leadline.model.description import Axis, Benchmark, Delivery, Processes, Series
from leadline.model.placement import Placement


def axis(name, *choices):
    return Axis(name=name, kind="choice", summary="", default=",".join(choices), choices=choices)


def benchmark(name, title, *axes, **more):
    return Benchmark(
        name=name, title=title, summary="", start="", api="mpi", processes=Processes(),
        axes=axes, series=(Series(name="completion", definition=""),), **more,
    )  # fmt: skip


ANY_SIZE = Axis(name="bytes", kind="bytes", summary="", default="8", minimum=0)
DOUBLES = Axis(name="bytes", kind="bytes", summary="", default="8", multiple_of=8, minimum=8)
BENCHMARKS = (
    benchmark("mpi/barrier", "MPI_Barrier", axis("algorithm", "library", "tree")),
    benchmark("mpi/allreduce", "MPI_Allreduce", DOUBLES, axis("algorithm", "ring", "library")),
    benchmark("mpi/bcast", "MPI_Bcast", ANY_SIZE),
    benchmark("mpi/pingpong", "Ball", ANY_SIZE, axis("mode", "blocking", "nonblocking"),
              delivery=Delivery(sides="two-sided", series="completion")),
)  # fmt: skip


def of(found):
    """Return what is measured: call, benchmark, place, size, calls and seconds."""
    return [
        (part.call, part.measured.benchmark.name, str(part.placement), part.bytes, part.calls,
         pytest.approx(part.seconds))
        for part in found.parts
    ]  # fmt: skip


def left(found):
    return {call: pytest.approx(seconds) for (call, _), seconds in found.left.items()}


@pytest.fixture
def plan_of(read):
    """Return the text of the plan of these ranks, and the plan that leadline reads of it."""

    def make(ranks, **fields):
        found = replay(read(ranks, **fields), BENCHMARKS)
        text = format_plan(found, "app", "2026-explain-app", "mpich-9", "app.toml")
        return text, to_plan(tomllib.loads(text), Path("app.toml"))

    return make


def test_a_collective_is_measured_on_its_ranks_without_the_waiting(read):
    found = replay(read(late_rank()), BENCHMARKS)
    assert of(found) == [("MPI_Allreduce", "mpi/allreduce", "1x4", 8, 4000, 2.0)]
    assert found.waiting_s == pytest.approx(6.0)
    assert not found.left and found.measured_s == found.mpi_s
    assert found.parts[0].choice == {
        "benchmark": "mpi/allreduce", "bytes": 8, "processes": 4, "nodes": 1,
        "algorithm": "library",
    }  # fmt: skip


def test_a_size_is_one_that_the_benchmark_takes_and_calls_of_one_size_are_together(read):
    rows = [
        row("MPI_Allreduce", calls=10, size=3, seconds=0.1),
        row("MPI_Allreduce", calls=20, size=9, seconds=0.2),
        row("MPI_Allreduce", calls=1, size=1003, seconds=0.5),
    ]
    found = replay(read([rank(0, rows=rows), rank(1)]), BENCHMARKS)
    assert of(found) == [
        ("MPI_Allreduce", "mpi/allreduce", "1x2", 1000, 1, 0.5),
        ("MPI_Allreduce", "mpi/allreduce", "1x2", 8, 30, 0.3),
    ]


def test_a_message_counts_once_with_the_time_of_both_sides(read):
    sends = [row("MPI_Send", calls=100, size=64, seconds=0.2, ranks=4)]
    receives = [row("MPI_Recv", calls=100, size=64, seconds=1.0, waiting=0.5, ranks=4)]
    found = replay(read([rank(0, rows=sends), rank(1, rows=receives)]), BENCHMARKS)
    assert of(found) == [("messages", "mpi/pingpong", "1x2", 64, 100, 0.7)]


def test_the_time_of_waits_is_shared_out_by_number_and_bytes(read):
    rows = [
        row("MPI_Isend", calls=100, size=0, seconds=0.1),
        row("MPI_Irecv", calls=100, size=8, seconds=0.1),
        row("MPI_Isend", calls=10, size=9 * 8192, seconds=0.1),
        row("MPI_Waitall", calls=100, seconds=1.9),
    ]
    found = replay(read([rank(0, rows=rows), rank(1)]), BENCHMARKS)
    assert of(found) == [
        ("messages", "mpi/pingpong", "1x2", 0, 100, 1.1),
        ("messages", "mpi/pingpong", "1x2", 9 * 8192, 10, 1.1),
    ]


def test_messages_are_split_by_how_many_leave_their_node(tmp_path):
    from recordings import write_node

    from leadline.explain.reading import read_recording

    rows = [row("MPI_Send", calls=100, size=8, seconds=1.0, ranks=4, nodes=2)]
    ranks = [rank(0, rows=rows, sent={1: (25, 200), 2: (75, 600)}), rank(1)]
    write_node(tmp_path, ranks, total=4)
    write_node(tmp_path, [rank(2), rank(3)], node=1, total=4)
    found = replay(read_recording(tmp_path), BENCHMARKS)
    assert of(found) == [
        ("messages", "mpi/pingpong", "2x1", 8, 75, 0.75),
        ("messages", "mpi/pingpong", "1x2", 8, 25, 0.25),
    ]


def test_a_nonblocking_collective_has_its_blocking_form(read, plan_of):
    rows = [
        row("MPI_Iallreduce", calls=10, size=8, seconds=0.1),
        row("MPI_Wait", calls=10, seconds=0.4),
    ]
    ranks = [rank(0, rows=rows), rank(1)]
    found = replay(read(ranks), BENCHMARKS)
    assert of(found) == [("MPI_Iallreduce", "mpi/allreduce", "1x2", 8, 10, 0.5)]
    text, _ = plan_of(ranks)
    assert "measured in its blocking form" in text


def test_what_is_not_measured_is_named_with_its_time(read, plan_of):
    rows = [
        row("MPI_Barrier", calls=10, seconds=0.5),
        row("MPI_Alltoallw", calls=10, size=8, seconds=0.1),
        row("MPI_Allreduce", calls=10, size=8, seconds=0.2, ranks=1),
        row("MPI_Init", seconds=0.3),
        row("MPI_Put", calls=10, size=8, seconds=0.4),
        row("MPI_File_write", calls=10, size=8, seconds=0.5),
        row("MPI_Start", calls=10, size=8, seconds=0.25),
        row("MPI_Wait", calls=10, size=8, seconds=0.25),
        row("MPI_Bcast", calls=10, size=8, seconds=0.6, ranks=3, nodes=2),
    ]
    ranks = [rank(0, rows=rows), rank(1)]
    found = replay(read(ranks), BENCHMARKS)
    assert of(found) == [("MPI_Barrier", "mpi/barrier", "1x2", None, 10, 0.5)]
    assert left(found) == {
        "MPI_Alltoallw": 0.1, "MPI_Allreduce": 0.2, "MPI_Init": 0.3, "MPI_Put": 0.4,
        "MPI_File_write": 0.5, "MPI_Start": 0.5, "MPI_Bcast": 0.6,
    }  # fmt: skip
    assert found.mpi_s == pytest.approx(3.1)
    text, plan = plan_of(ranks)
    assert "16 % of the rest" in " ".join(text.replace("# ", "").split())
    for call in left(found):
        assert any(line.startswith(f"# - {call}, ") for line in text.splitlines())
    assert plan.entries[0].axes == {"algorithm": "library"}


def test_sizes_that_take_little_time_are_left_out_and_named(read):
    rows = [
        row("MPI_Bcast", calls=10, size=8, seconds=9.95),
        row("MPI_Bcast", calls=10, size=64, seconds=0.05),
    ]
    found = replay(read([rank(0, rows=rows), rank(1)]), BENCHMARKS)
    assert [part.bytes for part in found.parts] == [8]
    assert left(found) == {"MPI_Bcast": 0.05}


def test_the_plan_is_one_that_leadline_reads_and_can_carry_out(plan_of, monkeypatch):
    rows = [
        row("MPI_Allreduce", calls=10, size=8, seconds=0.5, ranks=4),
        row("MPI_Allreduce", calls=10, size=800, seconds=0.5, ranks=4),
        row("MPI_Allreduce", calls=10, size=8, seconds=0.25, ranks=2),
        row("MPI_Send", calls=10, size=100, seconds=0.25, ranks=4),
    ]
    text, plan = plan_of([rank(0, rows=rows), rank(1), rank(2), rank(3)])
    assert plan.name == "replay-app" and plan.launches >= 6 and not plan.roofs
    assert plan.placements == (Placement(1, 4), Placement(1, 2))
    assert [(entry.benchmarks, entry.placements, entry.axes) for entry in plan.entries] == [
        (("mpi/allreduce",), (Placement(1, 4),), {"bytes": "8,800", "algorithm": "library"}),
        (("mpi/allreduce",), (Placement(1, 2),), {"bytes": "8", "algorithm": "library"}),
        (("mpi/pingpong",), (Placement(1, 2),), {"bytes": "100", "mode": "blocking"}),
    ]
    assert plan.program.name == "app" and plan.program.mpi == "mpich-9"
    assert plan.program.ranks == 4
    assert [(each.call, each.calls, each.seconds) for each in plan.program.calls] == [
        ("MPI_Allreduce", 10, 0.5), ("MPI_Allreduce", 10, 0.5), ("MPI_Allreduce", 10, 0.25),
        ("messages", 10, 0.25),
    ]  # fmt: skip
    assert "leadline run app.toml --mpi all" in text and "2026-explain-app" in text
    assert max(map(len, text.partition("\n\n")[0].splitlines())) <= 100
    monkeypatch.setattr("leadline.measure.plan.checks.choose", lambda *_, **__: [])
    monkeypatch.setattr("leadline.measure.plan.checks.check_slots", lambda *_: None)
    check_plan(plan)


def test_the_guide_shows_the_plan_as_it_is_written(read):
    allreduce = benchmark(
        "mpi/allreduce", "MPI_Allreduce", DOUBLES, axis("algorithm", "library", "ring"),
        axis("buffers", "separate", "in_place"),
    )  # fmt: skip
    found = replay(read(late_rank()), [allreduce])
    named = ("app", "2026-01-31T101500-explain-app-3f2a", "mpich-5.0.2", "app.toml")
    guide = CHECKOUT / "docs" / "how-to" / "replay-a-program.md"
    assert format_plan(found, *named) in guide.read_text()


def test_without_a_call_that_is_measured_there_is_no_plan(read):
    alone = [rank(0, rows=[row("MPI_Init", seconds=0.1)])]
    with pytest.raises(UserError, match=r"no call of two ranks or more .* only MPI_Init"):
        replay(read(alone), BENCHMARKS)
