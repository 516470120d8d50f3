"""The test by permuted launches, against all ways counted by hand and in simulation."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from leadline.analysis.stats.permutation import (
    STEADY,
    adjusted_p_values,
    difference,
    interval,
    level,
    steady,
)

SLOW = math.log(2.5)


def levels(values):
    """Return the level as its definition says it."""
    fast = sorted(values)[max(1, round(len(values) / 4)) - 1]
    kept = [value for value in values if value <= fast + math.log(STEADY)]
    return sum(kept) / len(kept)


def test_the_level_is_the_mean_of_the_steady_launches():
    logarithms = np.log([1.0, 1.1, 1.3, 2.6, 0.98])
    every = np.ones((1, 5), dtype=bool)
    assert level(logarithms, every)[0] == pytest.approx(np.log([1.0, 1.1, 0.98]).mean())
    assert steady([1.0, 1.1, 1.3, 2.6, 0.98]) == [0.98, 1.0, 1.1]


def test_one_launch_of_ten_that_was_too_fast_does_not_say_which_are_steady():
    assert steady([0.3, *[1.0] * 9]) == [0.3, *[1.0] * 9]
    assert steady([0.3, 0.3, *[1.0] * 8]) == [0.3, 0.3]


def test_a_single_figure_has_the_share_of_all_ways_that_differ_as_much():
    random = np.random.default_rng(3)
    base, other = random.normal(0, 0.1, (2, 5))
    both = [*base, *other]
    found = abs(levels(other) - levels(base))
    ways = 0
    for chosen in itertools.combinations(range(10), 5):
        rest = [both[i] for i in range(10) if i not in chosen]
        ways += abs(levels([both[i] for i in chosen]) - levels(rest)) >= found - 1e-12
    p_value = adjusted_p_values(base[None, :], other[None, :])[0]
    assert p_value == pytest.approx(ways / math.comb(10, 5))


def test_where_all_launches_are_steady_it_is_the_permutation_test_of_means():
    random = np.random.default_rng(5)
    base, other = random.normal(0, 0.02, (2, 6))
    peer = stats.permutation_test(
        (base, other), lambda a, b: abs(a.mean() - b.mean()), alternative="greater", n_resamples=1e5
    )
    assert difference(base, other) == pytest.approx(other.mean() - base.mean())
    assert adjusted_p_values(base[None], other[None])[0] == pytest.approx(peer.pvalue)


def test_figures_with_the_same_launches_share_their_chance():
    """Twenty copies of one figure have its own probability; twenty strangers have more."""
    random = np.random.default_rng(6)
    base, other = random.normal(0, 0.02, (20, 6)), random.normal(0, 0.02, (20, 6))
    other[0] += 0.05
    alone = adjusted_p_values(base[:1], other[:1])[0]
    copies = adjusted_p_values(np.repeat(base[:1], 20, 0), np.repeat(other[:1], 20, 0))
    assert copies == pytest.approx(np.full(20, alone))
    strangers = adjusted_p_values(base, other)[0]
    assert alone < strangers <= min(1.0, 20 * alone)


def test_a_test_for_longer_alone_has_half_the_ways_to_be_wrong():
    random = np.random.default_rng(5)
    base, other = np.sort(random.normal(0, 0.02, (2, 6)), axis=0)
    peer = stats.permutation_test(
        (base, other), lambda a, b: b.mean() - a.mean(), alternative="greater", n_resamples=1e5
    )
    longer = adjusted_p_values(base[None], other[None], longer_only=True)[0]
    assert longer == pytest.approx(peer.pvalue)
    assert longer == pytest.approx(adjusted_p_values(base[None], other[None])[0] / 2)
    assert adjusted_p_values(other[None], base[None], longer_only=True)[0] > 0.5


def test_a_figure_is_not_held_against_those_that_stand_out_more():
    """Westfall and Young's second step: what is left is judged as if it were all there is."""
    random = np.random.default_rng(6)
    base, other = random.normal(0, 0.02, (2, 4, 6))
    other[0] += 1.0
    of_all, of_rest = adjusted_p_values(base, other), adjusted_p_values(base[1:], other[1:])
    assert of_all[0] < of_rest.min()
    assert of_all[1:] == pytest.approx(of_rest)


def launches(random, figures, count, share):
    """Return logarithms of launches' medians; in a slow state all figures of a launch are slow."""
    slow = (random.random(count) < share) * random.uniform(0.7, 1.3, (figures, 1)) * SLOW
    return slow + random.normal(0, 0.02, (figures, count))


@pytest.mark.parametrize(("share", "least"), [(0.0, 0.99), (0.3, 0.9)])
def test_ten_launches_show_that_one_of_eight_figures_takes_a_tenth_longer(share, least):
    random = np.random.default_rng(11)
    trials, found = 20, 0
    for _ in range(trials):
        base, other = launches(random, 8, 10, share), launches(random, 8, 10, share)
        other[3] += math.log(1.1)
        found += adjusted_p_values(base, other)[3] <= 0.05
    assert found / trials >= least


def test_too_little_to_contradict_anything_has_no_end():
    low, high = interval(np.zeros(2), np.zeros(2))
    assert (low, high) == (-math.log(1000), math.log(1000))
