"""Judging many figures at once: of two sides of launches, and rivals of one run.

Of two sides that have nothing in common, such as two runs, the launches are compared. With enough
they are permuted, which assumes nothing of how they scatter (`permutation`); fewer are rotated,
with a scatter that all figures tell together (`rotation`).

Rivals of one run are judged with 5 % of risk for all of them together. Each launch gives a ratio of
the two. A run has many such pairs, and what is looked for long enough is found by chance: so each
pair is judged by the most conspicuous of all (Westfall & Young, "Resampling-Based Multiple
Testing", 1993, algorithm 2.8), with as few launches by rotations, which know a pair's scatter from
that of the others (`rotation`), and from 8 by turning launches' signs.

Who looks after some launches and measures more where nothing is sure looks several times. Each look
spends a part of the 5 % (Lan & DeMets, "Discrete Sequential Boundaries for Clinical Trials",
Biometrika 70, 1983): the first one half, each further one half of what is left. Pairs that are
settled are measured no more, so that from the second look on each is judged by itself, times the
number of all pairs (Bonferroni): that holds whichever of them are still measured, and why.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from leadline.analysis.stats import permutation, rotation
from leadline.analysis.stats.comparison import (
    Ratio,
    bounded_factor,
    of_levels,
    over_launches,
    unclear,
)
from leadline.analysis.stats.statistics import CONFIDENCE, Interval, Matrix
from leadline.analysis.stats.student import false_discoveries

# Of two runs with fewer launches a side, on a machine with slow states, 9 % were called different
# of which nothing differed.
FEWEST = 3

# In so many ways launches must be permuted where figures are many: six and six, or ten and four.
_ENOUGH_WAYS = 900


class Judged(NamedTuple):
    """How many times as long one figure takes on the other side, and the corrected probability."""

    ratio: Ratio
    p_value: float


def are_many(base: int, other: int) -> bool:
    """Tell whether so many launches of each side can be permuted in ways enough."""
    return min(base, other) >= permutation.FEWEST and math.comb(base + other, base) >= _ENOUGH_WAYS


def judge(base: Matrix, other: Matrix, *, longer_only: bool = False) -> list[Judged]:
    """Return what is to be thought of each figure, all of them together.

    `base` and `other` hold seconds, shape (figures, launches); a column is a launch. With
    `longer_only` a difference is that `other` takes longer, for which permutations of fewer
    launches are enough. A level of the corrected probabilities bounds the chance that any
    difference is false. `FEWEST` launches of each are meant; one of a side, or a time that is not
    above zero, leaves a figure `unclear`.
    """
    timed = np.array(
        [bool(np.all(one > 0) and np.all(two > 0)) for one, two in zip(base, other, strict=True)],
        dtype=bool,
    )
    known = iter(_judge_timed(base[timed], other[timed], longer_only=longer_only))
    return [next(known) if one else Judged(unclear(), 1.0) for one in timed]


def _judge_timed(base: Matrix, other: Matrix, *, longer_only: bool) -> list[Judged]:
    counts = base.shape[1], other.shape[1]
    if are_many(*counts) or (longer_only and min(counts) >= permutation.FEWEST):
        return _permuted(base, other, longer_only=longer_only)
    method = f"rotated launches, {counts[0]} and {counts[1]}, scatter of all figures"
    return [
        Judged(
            Ratio(math.exp(each.value), Interval(*map(bounded_factor, each.interval)), method),
            each.p_value,
        )
        for each in rotation.differences(np.log(base), np.log(other))
    ]


def judge_each(base: Sequence[Sequence[float]], other: Sequence[Sequence[float]]) -> list[Judged]:
    """Return what is to be thought of each figure by itself: whether `other` takes longer.

    Both hold the seconds of each figure's launches, of which figures may have different numbers; 3
    or fewer tell nothing. A level of the corrected probabilities bounds the share of false
    differences among those that are found.
    """
    p_values = [_p_value(below, above) for below, above in zip(base, other, strict=True)]
    return [
        Judged(of_levels(above, below), p_value)
        for below, above, p_value in zip(base, other, false_discoveries(p_values), strict=True)
    ]


def _p_value(below: Sequence[float], above: Sequence[float]) -> float:
    if min((*below, *above), default=0) <= 0:
        return 1.0
    found = permutation.p_values(np.log([below]), np.log([above]), longer_only=True)
    return float(found.item())


def _permuted(base: Matrix, other: Matrix, *, longer_only: bool) -> list[Judged]:
    logarithms = np.log(base), np.log(other)
    p_values = permutation.adjusted_p_values(*logarithms, longer_only=longer_only).tolist()
    return [
        Judged(of_levels(above, below), p_value)
        for below, above, p_value in zip(base.tolist(), other.tolist(), p_values, strict=True)
    ]


# From so many launches signs can be turned in ways enough for many pairs.
BY_SIGNS = 8

_WAYS, _MEMORY = 4_999, 8_000_000

# Seconds of each launch, of the figure above and of the one below, in the order of time.
Pair = tuple[Sequence[float], Sequence[float]]


def share_of(look: int) -> float:
    """Return the part of all risk that the look, 0 or more, may spend."""
    return 0.5 ** (look + 1)


def ratios(pairs: Sequence[Pair], looks: Sequence[int] = ()) -> list[Ratio]:
    """Return how many times as long the first of each pair takes, with a corrected `p_value`.

    A pair that has fewer than 2 launches, or a time that is not above zero, is `unclear`. `looks`
    are after how many launches each look was taken, ascending, where there were several; pairs have
    as many launches as one of them, or more where nobody looked again.
    """
    cut = [(above[: len(below)], below[: len(above)]) for above, below in pairs]
    known = [np.log(above) - np.log(below) for above, below in cut if _is_known(above, below)]
    found = iter(_sequential(known, looks) if looks else _at_once(known))
    return [
        next(found) if _is_known(above, below) else _of_few(above, below) for above, below in cut
    ]


def _is_known(above: Sequence[float], below: Sequence[float]) -> bool:
    return len(above) > 1 and min(*above, *below) > 0


def _of_few(above: Sequence[float], below: Sequence[float]) -> Ratio:
    one = bool(above) and min(*above, *below) > 0
    return unclear(above[0] / below[0]) if one else unclear()


def _at_once(logarithms: Sequence[Matrix]) -> list[Ratio]:
    counts = [len(each) for each in logarithms]
    found: dict[int, Ratio] = {}
    for count in sorted(set(counts)):
        members = [index for index, each in enumerate(counts) if each == count]
        rows = np.array([logarithms[index] for index in members])
        estimates = _by_signs(rows) if count >= BY_SIGNS else _rotated(rows)
        for index, ratio in zip(members, estimates, strict=True):
            # Bonferroni's correction for pairs of other launches.
            corrected = min(1.0, (ratio.p_value or 0.0) * len(set(counts)))
            found[index] = ratio._replace(p_value=corrected)
    return [found[index] for index in range(len(logarithms))]


def _rotated(rows: Matrix) -> list[Ratio]:
    method = f"rotated ratios of {rows.shape[1]} launches, scatter of all pairs"
    return [_ratio(each, method, each.p_value) for each in rotation.shifts(rows)]


def _ratio(found: rotation.Difference, method: str, p_value: float) -> Ratio:
    ends = Interval(*map(bounded_factor, found.interval))
    return Ratio(math.exp(found.value), ends, method, p_value)


def _by_signs(rows: Matrix) -> list[Ratio]:
    """Judge pairs by signed ranks (Wilcoxon), which assume nothing but that chance has no side."""
    launches = rows.shape[1]
    ranks = np.abs(rows).argsort(axis=1, kind="stable").argsort(axis=1) + 1.0
    # A ratio of exactly 1 is on neither side.
    signed = np.where(rows == 0, 0.0, np.sign(rows) * ranks)
    sizes = np.abs(signed @ _signs(launches, max(999, min(_WAYS, _MEMORY // len(rows)))))
    adjusted = permutation.step_down(sizes)
    return [
        over_launches(np.exp(row).tolist())._replace(p_value=float(p_value))
        for row, p_value in zip(rows, adjusted, strict=True)
    ]


def _signs(launches: int, ways: int) -> Matrix:
    """Return signs for launches, shape (launches, ways): those that were found, then others."""
    if 2**launches <= ways + 1:
        bits = np.arange(2**launches)[None, :] >> np.arange(launches)[:, None]
        return np.asarray(1.0 - 2.0 * (bits & 1), dtype=np.float64)
    drawn = np.random.default_rng(1).choice((-1.0, 1.0), size=(launches, ways))
    return np.column_stack([np.ones(launches), drawn])


def _sequential(logarithms: Sequence[Matrix], looks: Sequence[int]) -> list[Ratio]:
    found: dict[int, Ratio] = {}
    least = [1.0] * len(logarithms)
    for look, count in enumerate(looks):
        members = [i for i, each in enumerate(logarithms) if len(each) >= count or not look]
        for length in sorted({min(len(logarithms[i]), count) for i in members}):
            same = [i for i in members if min(len(logarithms[i]), count) == length]
            rows = np.array([logarithms[i][:length] for i in same])
            confidence = 1 - (1 - CONFIDENCE) * share_of(look)
            shifts = rotation.shifts(rows, confidence, singly=bool(look))
            for index, each in zip(same, shifts, strict=True):
                corrected = each.p_value * len(logarithms) / len(same)
                if each.single is not None:
                    corrected = each.single * len(logarithms)
                least[index] = min(least[index], corrected / share_of(look))
                method = f"rotated ratios of {length} launches, look {look + 1}"
                found[index] = _ratio(each, method, least[index])
    return [found[index] for index in range(len(logarithms))]
