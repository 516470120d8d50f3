"""Many pairs of one run: few false alarms among all, and clear differences found."""

import math

import numpy as np
import pytest

from leadline.analysis.stats.rivals import ratios, share_of

PAIRS, TRIALS = 12, 80


def pairs(random, launches, factors=()):
    """Return launches of so many pairs, of which the first differ by the factors."""
    found = []
    for index in range(PAIRS):
        luck = 0.1 * random.normal(size=launches)
        above, below = (np.exp(luck + 0.03 * random.normal(size=launches)) for _ in range(2))
        factor = factors[index] if index < len(factors) else 1.0
        found.append((tuple(above * factor), tuple(below)))
    return found


def most(share=0.05, trials=TRIALS):
    """Return three standard errors above a share."""
    return share + 3 * math.sqrt(share * (1 - share) / trials)


@pytest.mark.parametrize("launches", [3, 5, 8, 10])
def test_false_alarms_are_as_rare_as_promised(launches):
    random = np.random.default_rng(launches)
    trials = [ratios(pairs(random, launches, (1.5, 1.5))) for _ in range(TRIALS)]
    assert np.mean([any(one.p_value <= 0.05 for one in all_[2:]) for all_ in trials]) <= most()


@pytest.mark.parametrize(("launches", "factor", "wanted"), [(3, 1.5, 0.9), (5, 1.2, 0.8)])
def test_clear_differences_are_found(launches, factor, wanted):
    random = np.random.default_rng(1)
    trials = [ratios(pairs(random, launches, (factor,))) for _ in range(TRIALS)]
    assert np.mean([all_[0].p_value <= 0.05 for all_ in trials]) >= wanted


def test_some_launches_that_another_program_slowed_hide_no_difference():
    above = [1.3, 1.3, 4.0, 1.31, 1.29, 1.3, 1.32, 1.3, 1.28, 1.3]
    (found,) = ratios([(above, [1.0] * 10)])
    assert found.p_value <= 0.05 and found.interval.low > 1


def test_pairs_of_fewer_launches_are_judged_by_themselves():
    random = np.random.default_rng(2)
    mixed = [*pairs(random, 3, (3.0,)), *pairs(random, 5, (3.0,))]
    found = ratios(mixed)
    assert [one.p_value <= 0.05 for one in found] == [i % PAIRS == 0 for i in range(len(mixed))]


def test_all_looks_together_spend_no_more_than_all():
    assert sum(share_of(look) for look in range(50)) == pytest.approx(1)


def test_a_difference_of_an_earlier_look_stays_one():
    random = np.random.default_rng(3)
    first = pairs(random, 3, (3.0,))
    rest = [(one * 2, other * 2) if i > 5 else (one, other) for i, (one, other) in enumerate(first)]
    found = ratios(rest, looks=(3, 6))
    assert found[0].p_value <= 0.05
