"""Two sides of launches that have nothing in common, such as two runs: which figures differ.

With launches enough they are permuted, which assumes nothing of how they scatter (`permutation`);
fewer are rotated, with a scatter that all figures tell together (`rotation`).
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from leadline.analysis.stats import permutation, rotation
from leadline.analysis.stats.comparison import Ratio, of_levels
from leadline.analysis.stats.multiple import false_discoveries
from leadline.analysis.stats.permutation import Matrix
from leadline.analysis.stats.statistics import Interval

# Of two runs with fewer launches a side, on a machine with slow states, 9 % were called different
# of which nothing differed.
FEWEST = 3

# In so many ways launches must be permuted where figures are many: six and six, or ten and four.
_ENOUGH_WAYS = 900

# The logarithm of a factor that says that nothing is known.
_UNKNOWN = math.log(1000.0)


class Judged(NamedTuple):
    """How many times as long one figure takes on the other side, and the corrected probability."""

    ratio: Ratio
    p_value: float


def are_many(base: int, other: int) -> bool:
    """Tell whether so many launches of each side can be permuted in ways enough."""
    return min(base, other) >= permutation.FEWEST and math.comb(base + other, base) >= _ENOUGH_WAYS


def judge(base: Matrix, other: Matrix, *, longer_only: bool = False) -> list[Judged]:
    """Return what is to be thought of each figure, all of them together.

    `base` and `other` hold seconds above zero, shape (figures, launches), of 3 launches or more; a
    column is a launch. With `longer_only` a difference is that `other` takes longer, for which
    permutations of fewer launches are enough. A level of the corrected probabilities bounds the
    chance that any difference is false.
    """
    counts = base.shape[1], other.shape[1]
    if are_many(*counts) or (longer_only and min(counts) >= permutation.FEWEST):
        return _permuted(base, other, longer_only=longer_only)
    method = f"rotated launches, {counts[0]} and {counts[1]}, scatter of all figures"
    return [
        Judged(
            Ratio(math.exp(each.value), Interval(*map(_factor, each.interval)), method),
            each.p_value,
        )
        for each in rotation.differences(np.log(base), np.log(other))
    ]


def judge_each(base: Sequence[Sequence[float]], other: Sequence[Sequence[float]]) -> list[Judged]:
    """Return what is to be thought of each figure by itself: whether `other` takes longer.

    Both hold the seconds of each figure's launches, 4 or more, of which figures may have different
    numbers. A level of the corrected probabilities bounds the share of false differences among
    those that are found.
    """
    own = [
        permutation.p_values(np.log([below]), np.log([above]), longer_only=True).item()
        for below, above in zip(base, other, strict=True)
    ]
    return [
        Judged(of_levels(above, below), p_value)
        for below, above, p_value in zip(base, other, false_discoveries(own), strict=True)
    ]


def _factor(logarithm: float) -> float:
    return math.exp(min(max(logarithm, -_UNKNOWN), _UNKNOWN))


def _permuted(base: Matrix, other: Matrix, *, longer_only: bool) -> list[Judged]:
    logarithms = np.log(base), np.log(other)
    p_values = permutation.adjusted_p_values(*logarithms, longer_only=longer_only).tolist()
    return [
        Judged(of_levels(above, below), p_value)
        for below, above, p_value in zip(base.tolist(), other.tolist(), p_values, strict=True)
    ]
