"""The test by permuted launches is right as often as it says, in simulation."""

import math

import numpy as np
import pytest

from leadline.analysis.stats.permutation import adjusted_p_values

SLOW = math.log(2.5)


def launches(random, figures, count, share):
    """Return logarithms of launches' medians; in a slow state all figures of a launch are slow."""
    slow = (random.random(count) < share) * random.uniform(0.7, 1.3, (figures, 1)) * SLOW
    return slow + random.normal(0, 0.02, (figures, count))


@pytest.mark.parametrize("share", [0.0, 0.2, 0.4])
def test_no_more_than_a_twentieth_of_comparisons_of_like_with_like_find_a_difference(share):
    random = np.random.default_rng(int(100 * share))
    trials = 200
    wrong = sum(
        adjusted_p_values(
            launches(random, 8, 6, share), launches(random, 8, 6, share)
        ).min() <= 0.05
        for _ in range(trials)
    )  # fmt: skip
    # Three standard deviations of such a count where the truth is a twentieth.
    assert wrong / trials <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / trials)


def test_real_differences_do_not_make_one_of_the_others_seem_real():
    random = np.random.default_rng(17)
    trials, wrong = 200, 0
    for _ in range(trials):
        base, other = launches(random, 8, 7, 0.2), launches(random, 8, 7, 0.2)
        other[:4] += math.log(2)
        wrong += adjusted_p_values(base, other, longer_only=True)[4:].min() <= 0.05
    assert wrong / trials <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / trials)
