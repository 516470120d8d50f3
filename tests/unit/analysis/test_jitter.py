"""From the samples of a run to the figures of its jitter."""

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
import pytest
import run_parts as parts
from halo_model import FLAGS, Delay, exchange, ring

from leadline.analysis.samples import analyse_samples
from leadline.analysis.stats.calls import Calls, arrange
from leadline.model.run import PointResult, Run
from leadline.model.summary import Jitter

LATE = 1 << FLAGS.index("late_start")


def columns_of(launches: Sequence[Calls], batch: int = 1) -> dict[str, np.ndarray]:
    """The columns of a sample source, chunk after chunk, in each the ranks one after the other."""
    found: dict[str, list[np.ndarray]] = {}
    for number, calls in enumerate(launches):
        count, ranks = calls.seconds.shape
        call, rank = np.meshgrid(np.arange(count), np.arange(ranks), indexing="ij")
        order = np.lexsort((call.ravel(), rank.ravel(), call.ravel() // 32))
        series = np.broadcast_to(calls.series[:, None], call.shape)
        parts = np.unique(calls.series).size
        tables = {
            "launch": np.full(call.shape, number), "repetition": call // parts,
            "rank": calls.ranks[rank], "peer": np.full(call.shape, -1),
            "batch": np.full(call.shape, batch), "series": series, "flags": calls.flags,
            "seconds": calls.seconds, "begin": calls.begin, "waited": calls.waited,
            "page_faults": calls.page_faults,
        }  # fmt: skip
        for name, table in tables.items():
            found.setdefault(name, []).append(table.ravel()[order])
    return {name: np.concatenate(parts) for name, parts in found.items()}


class Source:
    def __init__(self, points: Mapping[int, Mapping[str, np.ndarray]]) -> None:
        self.points = points

    def columns(self, point: int) -> Mapping[str, np.ndarray]:
        return self.points[point]


def make_run(
    launches: int, ranks: int, neighbours: tuple[tuple[int, ...], ...], names=(("halo",),)
) -> Run:
    """A run with a point for each tuple of series names."""
    return parts.run(
        flags=FLAGS,
        benchmarks=[parts.benchmark(f"a/{index}", *series) for index, series in enumerate(names)],
        points=[
            parts.point(index, each=ranks, benchmark=f"a/{index}", axes={"bytes": 64})
            for index in range(len(names))
        ],
        launches=[
            parts.launch(
                number,
                each=ranks,
                points=tuple(
                    PointResult(
                        point=index,
                        bytes=64,
                        moved_bytes=4096.0,
                        verified=True,
                        neighbours=() if index else neighbours,
                    )
                    for index in range(len(names))
                ),
            )
            for number in range(launches)
        ],
    )


def of(run: Run, *points: dict[str, np.ndarray]) -> tuple[Jitter, ...]:
    source = Source(dict(enumerate(points)))
    return analyse_samples(run, source).jitter


PREEMPTED = [
    Delay(call, 1, 1e-3, "sent", flag="preempted", waited=1e-3) for call in range(50, 350, 100)
]


def test_maximum_and_average_are_the_sources() -> None:
    calls = [exchange(4, 400, PREEMPTED, seed=seed) for seed in (1, 2)]
    (found,) = of(make_run(2, 4, ring(4)), columns_of(calls))
    seconds = np.stack([each.seconds for each in calls])
    assert found.average_s == pytest.approx(seconds.mean())
    assert found.maximum_s == pytest.approx(seconds.max(axis=2).mean())
    assert found.maximum_over_average == pytest.approx(found.maximum_s / found.average_s)
    assert found.ci95_low <= found.maximum_over_average <= found.ci95_high
    assert found.single_s == pytest.approx(np.median(seconds))
    ends = [(c.begin + c.seconds).max(axis=1) - c.begin.min(axis=1) for c in calls]
    assert found.all_tasks_s == pytest.approx(np.mean(ends))
    assert found.average_GBps == pytest.approx(4096 / found.average_s / 1e9)
    assert found.maximum_GBps == pytest.approx(4096 / found.maximum_s / 1e9)
    assert (found.point, found.tasks, found.calls) == (0, 4, 800)


def test_excess_time_is_shared_out_by_cause_and_rank() -> None:
    faults = [Delay(200, 3, 0.5e-3, "sent", flag="page_fault", page_faults=300)]
    (found,) = of(make_run(1, 4, ring(4)), columns_of([exchange(4, 400, PREEMPTED + faults)]))
    assert list(found.causes) == ["preempted", "page_faults"]
    assert sum(found.causes.values()) == pytest.approx(1)
    assert sum(rank.suffered_fraction for rank in found.ranks) == pytest.approx(1)
    assert sum(rank.caused_fraction for rank in found.ranks) == pytest.approx(1)
    first = found.ranks[0]
    assert first.rank == 1 and first.causes == {"preempted": first.caused_fraction}
    assert found.ranks[1].rank == 3
    # Rank 1 loses its core, ranks 0 and 2 wait for it and rank 3 for them.
    assert found.longest_chain == 2 and 0.6 < found.passed_on_fraction < 0.8
    assert {(p.from_rank, p.cause) for p in found.passed} == {(1, "preempted"), (3, "page_faults")}
    assert found.passed[0].rank in (0, 2, 3) and found.passed[0].from_rank == 1


def test_numbers_are_json_and_a_quiet_run_has_none_of_excess() -> None:
    (found,) = of(make_run(1, 2, ring(2)), columns_of([exchange(2, 300)]))
    assert found.outliers == 0 and found.excess_fraction == 0.0
    assert found.causes == {} and found.ranks == () and found.passed == ()
    assert b"NaN" not in msgspec.json.encode(found)


def test_predictions_are_for_tasks_that_name_their_neighbours() -> None:
    columns = columns_of([exchange(4, 400, PREEMPTED)])
    (found,) = of(make_run(1, 4, ring(4)), columns)
    assert [each.tasks for each in found.predictions] == [4 * 2**power for power in range(1, 11)]
    values = [each.maximum_s for each in found.predictions]
    assert values == sorted(values) and values[0] >= 0.95 * found.maximum_s
    assert all(p.ci95_low_s <= p.maximum_s <= p.ci95_high_s for p in found.predictions)
    (unnamed,) = of(make_run(1, 4, ()), columns)
    assert unnamed.predictions == ()


def test_tasks_with_delays_in_common_are_predicted_together() -> None:
    calls = exchange(4, 1000)
    random = np.random.default_rng(3)
    shared = calls._replace(seconds=calls.seconds * random.lognormal(0, 0.5, (1000, 1)))
    (found,) = of(make_run(1, 4, ring(4)), columns_of([shared]))
    assert not found.independent and found.independent_maximum_s > 1.05 * found.maximum_s
    # Twice as many tasks are the larger of two such calls.
    pairs = shared.seconds.max(axis=1)[random.integers(1000, size=(20_000, 2))].max(axis=1)
    assert found.predictions[0].maximum_s == pytest.approx(pairs.mean(), rel=0.05)


def test_batches_single_ranks_and_few_calls_have_no_jitter() -> None:
    calls = exchange(2, 300)
    alone = {
        name: values[columns_of([calls])["rank"] == 0]
        for name, values in columns_of([calls]).items()
    }
    run = make_run(1, 2, ring(2))
    assert of(run, columns_of([calls], batch=4)) == ()
    assert of(run, alone) == ()
    assert of(run, columns_of([exchange(2, 40)])) == ()


def test_noise_of_work_alone_is_recognised_in_the_other_points() -> None:
    random = np.random.default_rng(5)
    quiet = exchange(2, 4000)
    work = 100e-6 * random.normal(1, 0.001, (4000, 2))
    work[::20] += 20e-6
    noisy = quiet._replace(seconds=work)
    small = [Delay(call, call % 2, 15e-6, "network") for call in range(21, 400, 50)]
    run = make_run(1, 2, ring(2), (("halo",), ("work",)))
    halo, alone = of(run, columns_of([exchange(2, 400, small)]), columns_of([noisy]))
    assert set(halo.causes) == {"machine_noise"}
    assert set(alone.causes) <= {"machine_noise"} and alone.predictions
    (unaided,) = of(make_run(1, 2, ring(2)), columns_of([exchange(2, 400, small)]))
    assert set(unaided.causes) == {"network"}


def test_parts_of_a_repetition_are_calls_of_their_own() -> None:
    """A delay in the second part of a repetition is waited for in the first part of the next."""
    delays = [Delay(call, 0, 1e-3, "sent", flag="preempted", waited=1e-3) for call in (101, 301)]
    calls = exchange(2, 600, delays)
    calls.series[1::2] = 1
    run = make_run(1, 2, ring(2), (("first", "second"),))
    first, second = of(run, columns_of([calls]))
    assert (first.point, second.point) == (0, 1) and first.calls == second.calls == 300
    assert set(first.causes) == set(second.causes) == {"preempted"}
    assert [(p.rank, p.from_rank) for p in first.passed] == [(1, 0)]
    assert [rank.rank for rank in second.ranks if rank.suffered_fraction] == [0]


def test_calls_are_arranged_whatever_the_order_and_without_what_is_not_recorded() -> None:
    calls = exchange(3, 100)
    columns = columns_of([calls])
    mixed = np.random.default_rng(1).permutation(len(columns["rank"]))
    shuffled = {name: values[mixed] for name, values in columns.items()
                if name not in ("begin", "waited", "page_faults")}  # fmt: skip
    (found,) = arrange(shuffled, 0)
    np.testing.assert_array_equal(found.seconds, calls.seconds)
    assert np.isnan(found.begin).all() and (found.page_faults == 0).all()
    (run,) = of(make_run(1, 3, ring(3)), shuffled)
    assert run.all_tasks_s is None


def test_a_late_start_takes_the_whole_call_out_of_the_figures() -> None:
    calls = exchange(3, 200, [Delay(100, 1, 5e-3, "sent")])
    calls.flags[100, 2] |= LATE
    (found,) = of(make_run(1, 3, ring(3)), columns_of([calls]))
    assert found.calls == 199
    assert found.maximum_s == pytest.approx(np.delete(calls.seconds, 100, 0).max(axis=1).mean())


def test_sender_and_receiver_on_one_rank_each_have_no_jitter() -> None:
    columns = columns_of([exchange(2, 200)])
    columns["series"] = columns["rank"]
    assert of(make_run(1, 2, ring(2), (("sender", "receiver"),)), columns) == ()
