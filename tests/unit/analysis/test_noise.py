"""From the samples of a run to the noise of its figures."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
import run_parts as parts
from noise_model import Pulse, quanta

from leadline.analysis.jitter.detours import Row
from leadline.analysis.jitter.noise import costs, source_of
from leadline.analysis.samples import analyse_samples
from leadline.model.run import PointResult, Run

FLAGS = ["preempted", "page_fault", "migrated", "late_start", "clock_uncertain",
         "failed_verification", "blocked", "stolen"]  # fmt: skip


class Made:
    """The samples of rows as a store would hand them over."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows

    def columns(self, point: int) -> Mapping[str, np.ndarray[Any, Any]]:
        """Return the samples of the only point there is."""

        def joined(of: Any) -> np.ndarray[Any, Any]:
            return np.concatenate([np.broadcast_to(of(row), row.begin.shape) for row in self._rows])

        return {
            "launch": joined(lambda row: row.launch),
            "rank": joined(lambda row: row.rank),
            "peer": joined(lambda row: -1),
            "repetition": joined(lambda row: np.arange(len(row.begin))),
            "batch": joined(lambda row: 1),
            "series": joined(lambda row: 0),
            "flags": joined(lambda row: row.flags),
            "seconds": joined(lambda row: row.seconds),
            "begin": joined(lambda row: row.begin),
        }


def run_of(
    rows: Sequence[Row],
    series: str = "work",
    start: str = "back_to_back",
    stopped_by: str = "repetitions",
) -> Run:
    ranks = len({row.rank for row in rows})
    result = PointResult(point=0, batch=1, start=start, verified=True, stopped_by=stopped_by)
    return parts.run(
        machine={"timer_hz": 250},
        benchmarks=[parts.benchmark("family/thing", series, start=start)],
        flags=FLAGS,
        points=[parts.point(each=ranks, axes={})],
        launches=[parts.launch(each=ranks, points=(result,))],
    )


def heard(rows: Sequence[Row], **about: str):
    run, samples = run_of(rows, **about), Made(rows)
    return analyse_samples(run, samples).noise


def test_what_was_put_in_comes_out() -> None:
    random = np.random.default_rng(1)
    tick, daemon = Pulse(4e-3, 4e-6), Pulse(0.05, 6e-5)
    rows = [quanta(random, [tick], calls=8000), quanta(random, [tick, daemon], calls=8000, rank=1)]
    (found,) = heard(rows)
    truth = [np.sum(row.seconds - 1e-4) / np.sum(row.seconds) for row in rows]
    assert found.lost_fraction == pytest.approx(np.mean(truth), rel=0.1)
    assert found.ci95_low < np.mean(truth) < found.ci95_high
    assert [one.rank for one in found.ranks] == [1, 0]
    first, second = found.periods  # what costs most first
    assert (first.ranks, first.together, first.source) == ((1,), None, "daemon")
    assert first.duration_s == pytest.approx(6e-5, rel=0.1)
    assert first.lost_fraction == pytest.approx(6e-5 / 0.05, rel=0.2)
    assert (second.ranks, second.source, second.rate_hz) == ((0, 1), "timer tick", 250.0)
    assert second.ci95_low_s <= 4e-3 <= second.ci95_high_s
    assert second.detours_per_period == pytest.approx(1.0, abs=0.1)
    assert {cost.phase_s for cost in found.costs} == {1e-5, 1e-4, 1e-3, 1e-2}


@pytest.mark.parametrize("together", [True, False])
def test_ticks_are_together_or_staggered(together: bool) -> None:
    random = np.random.default_rng(2)
    rows = [
        quanta(random, [Pulse(4e-3, 4e-6, first=1e-3 if together else 1e-3 * rank)], rank=rank)
        for rank in (0, 1, 2)
    ]
    (found,) = heard(rows)
    (period,) = found.periods
    assert period.together is together
    assert ((found.together_fraction or 0.0) > 0.5) is together


def test_one_rank_is_enough_and_has_nobody_to_be_together_with() -> None:
    (found,) = heard([quanta(np.random.default_rng(3), [Pulse(4e-3, 4e-6)])])
    assert found.together_fraction is None
    assert [period.together for period in found.periods] == [None]


def test_launches_share_periods() -> None:
    random = np.random.default_rng(4)
    rows = [quanta(random, [Pulse(4e-3, 4e-6)], 3000, launch=i // 2, rank=i % 2) for i in range(6)]
    (found,) = heard(rows)
    assert [len(found.periods), len(found.ranks)] == [1, 2]
    assert found.observed_s == pytest.approx(6 * 0.3, rel=0.02)


def test_preempted_detours_are_told() -> None:
    row = quanta(np.random.default_rng(5), [Pulse(4e-3, 4e-6)], per_second=0.0)
    row.flags[row.seconds > 1.02e-4] = 1
    (found,) = heard([row])
    assert found.periods[0].preempted_fraction == 1.0


def test_what_communicates_has_no_costs() -> None:
    (found,) = heard([quanta(np.random.default_rng(6))], series="exchange")
    assert found.costs == () and found.ranks


def test_calls_that_do_not_follow_each_other_or_are_few_are_left_out() -> None:
    random = np.random.default_rng(7)
    assert heard([quanta(random)], start="barrier") == ()
    assert heard([quanta(random)], stopped_by="precision") == ()
    assert heard([quanta(random, calls=100)]) == ()
    without = quanta(random)
    assert heard([without._replace(begin=np.full(6000, np.nan))]) == ()


@pytest.mark.parametrize(
    ("period_s", "machine", "source"),
    [
        (0.004, {"timer_hz": 250}, ("timer tick", 250.0)),
        (0.001, {}, ("timer tick", 1000.0)),
        (0.020, {"timer_hz": 250}, ("timer ticks", 250.0)),
        (0.010, {"timer_hz": 250, "hypervisor": "KVM"}, ("hypervisor tick", 100.0)),
        (0.010, {"timer_hz": 250}, ("daemon", None)),
        (1.003, {"timer_hz": 250}, ("daemon", None)),
        (0.0333, {}, (None, None)),
    ],
)
def test_known_periods_have_their_names(period_s, machine, source) -> None:
    assert source_of(period_s, 1e-6, machine) == source


QUANTUM = 1e-4


def excess(random: np.random.Generator, calls: int, ranks: int) -> np.ndarray:
    """One call in 50 is held up, for 20 us on average."""
    shape = (calls, ranks)
    return random.exponential(2e-5, shape) * (random.random(shape) < 0.02)


def brute_force(random: np.random.Generator, phase_s: float, tasks: int) -> float:
    """Return the slow-down of many phases, each as long as the longest of so many ranks."""
    rounds = max(10, 100_000 // tasks)
    if phase_s >= QUANTUM:
        calls = round(phase_s / QUANTUM)
        lost = sum(excess(random, rounds, tasks) for _ in range(calls))
    else:
        hit = random.random((rounds, tasks)) < phase_s / QUANTUM
        lost = excess(random, rounds, tasks) * hit
    return float((phase_s + lost.max(axis=1)).mean() / phase_s)


@pytest.mark.parametrize("phase_s", [1e-5, 1e-4, 1e-3, 1e-2])
def test_the_cost_is_that_of_drawn_ranks(phase_s: float) -> None:
    random = np.random.default_rng(1)
    found = {
        c.tasks: c for c in costs([excess(random, 10_000, 2)], QUANTUM) if c.phase_s == phase_s
    }
    for tasks in (2, 10, 100, 1000):
        cost = found[tasks]
        if cost.reach == "samples":
            truth = brute_force(random, phase_s, tasks)
            assert cost.slowdown - 1 == pytest.approx(truth - 1, rel=0.25)
            assert cost.ci95_low * 0.98 <= truth <= (cost.ci95_high or 0.0) * 1.02
    assert found[2].together_slowdown == pytest.approx(1 + 0.02 * 0.2, abs=0.0005)


def test_what_the_samples_cannot_say_is_a_lower_bound() -> None:
    random = np.random.default_rng(2)
    found = list(costs([excess(random, 5000, 2)], QUANTUM))
    # 10 000 calls: so many phases of 100 us, and a tenth of them of 1 ms.
    reach = {(c.phase_s, c.tasks): c.reach for c in found}
    assert reach[1e-4, 10_000] == "samples" and reach[1e-4, 100_000] == "tail"
    assert reach[1e-4, 1_000_000] == "beyond"
    assert reach[1e-3, 1000] == "samples" and reach[1e-3, 10_000] == "tail"
    for cost in found:
        assert cost.ci95_low <= cost.slowdown
        assert (cost.ci95_high is None) == (cost.reach == "beyond")
        if cost.reach == "beyond":
            assert cost.slowdown == cost.ci95_low
    # 0.5 s are too little for phases of 0.1 s.
    assert {c.phase_s for c in found} == {1e-5, 1e-4, 1e-3, 1e-2}


def test_noise_that_stays_alike_is_not_averaged_away() -> None:
    """The same detours, in stretches: a phase of many calls gets more of them at once."""
    random = np.random.default_rng(3)
    single = excess(random, 20_000, 1)
    order = np.argsort(random.random(20_000))
    in_a_row = np.sort(single, axis=0)
    mixed = in_a_row[order]

    def at(values: np.ndarray) -> float:
        (cost,) = [c for c in costs([values], QUANTUM) if (c.phase_s, c.tasks) == (1e-2, 10)]
        return cost.slowdown - 1

    assert at(in_a_row) > 3 * at(mixed)


def test_without_noise_nothing_is_lost() -> None:
    for cost in costs([np.zeros((3000, 2))], QUANTUM):
        assert (cost.slowdown, cost.together_slowdown) == pytest.approx((1.0, 1.0))
