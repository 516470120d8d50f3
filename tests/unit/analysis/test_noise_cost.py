"""What noise costs, held against ranks that are drawn and counted."""

import numpy as np
import pytest

from leadline.analysis.jitter.noise import costs

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
