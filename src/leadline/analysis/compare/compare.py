"""The comparison of two runs, result by result, with a verdict on each."""

import math
from collections import defaultdict
from collections.abc import Sequence
from statistics import NormalDist, geometric_mean, stdev
from typing import NamedTuple, get_args, get_type_hints

import numpy as np

from leadline.analysis.compare.matching import launch_key, match, names
from leadline.analysis.results.states import SEPARATION, Like, like_with_like
from leadline.analysis.stats import permutation
from leadline.analysis.stats.comparison import UNSURE_RATIO, Ratio, level_s, time_ratio
from leadline.analysis.stats.rivals import FEWEST, are_many, judge
from leadline.core.errors import UserError
from leadline.core.units import parse_percent
from leadline.model.comparison import Compared, Comparison, Failure, Gate, Verdict
from leadline.model.summary import PointSummary

SAME_WITHIN = 0.05

_ALPHA = 0.05
_MOST_LAUNCHES = 1000
_UNKNOWN_LAUNCHES = 10

# The share of a run's launches that shows a while in which all of another run can lie.
_WHILE = 1 / 8


def compare(
    base_name: str,
    base_points: Sequence[PointSummary],
    other_name: str,
    other_points: Sequence[PointSummary],
    same_within: float = SAME_WITHIN,
) -> Comparison:
    """Return each figure that both sides have, and what is to be thought of it.

    Figures are paired as `analysis.compare.matching` says. With 2 or more launches on each side a
    figure is `faster` or `slower` where the whole interval of its ratio is beyond `same_within`,
    and the probability that any of all figures looks so different where none is does not exceed
    5 %: by permutations of the launches, from 6 of each or 4 and 10 (`stats.permutation`), by
    rotations of fewer (`stats.rotation`). `same` is one whose whole interval is within
    `same_within`. Figures without intervals differ where they do so by a quarter, which has no such
    probability. Where launches met several states of the machine, those of one state are compared;
    where no state is on both sides (`analysis.results.states`), only what is beyond the factor by
    which the machine itself differed can be told.
    """
    matches = match(base_points, other_points)
    named = dict(
        zip(
            [("base", index) for index in range(len(base_points))]
            + [("other", index) for index in range(len(other_points))],
            names([*base_points, *other_points], {}),
            strict=True,
        )
    )
    across = names([*base_points, *other_points], matches.differing)
    pairs = _pairs(
        [
            (across[one], base_points[one], other_points[two])
            for one, two in matches.pairs
            if _positive(base_points[one]) and _positive(other_points[two])
        ]
    )
    return Comparison(
        base=base_name,
        other=other_name,
        same_within=same_within,
        figures=tuple(
            _compare_pair(pair, found, p_value, same_within)
            for pair, (found, p_value) in zip(pairs, _tests(pairs), strict=True)
        ),
        only_base=tuple(named["base", index] for index in matches.only_base),
        only_other=tuple(named["other", index] for index in matches.only_other),
        without_ratio=tuple(
            across[one]
            for one, two in matches.pairs
            if not (_positive(base_points[one]) and _positive(other_points[two]))
        ),
    )


class _Pair(NamedTuple):
    """Two figures, and what of them is compared."""

    name: str
    base: PointSummary
    other: PointSummary
    like: Like

    @property
    def launches(self) -> tuple[int, int]:
        return len(self.like.base.launch_medians_s), len(self.like.other.launch_medians_s)

    @property
    def imported(self) -> bool:
        return not (self.base.samples and self.other.samples)

    @property
    def many(self) -> bool:
        """Whether the launches can be permuted in ways enough."""
        return are_many(*self.launches)

    @property
    def testable(self) -> bool:
        return min(self.launches) >= FEWEST

    def is_explained(self, found: Ratio) -> bool:
        """Tell whether sides that met no state in common may differ by the machine alone."""
        states = self.like.states
        if states is None or not states.apart:
            return False
        ends = found.interval or (found.median,)
        beyond = math.log((states.span or math.inf) * SEPARATION)
        return any(abs(math.log(end)) <= beyond for end in ends)


def _pairs(found: Sequence[tuple[str, PointSummary, PointSummary]]) -> list[_Pair]:
    """Return the named pairs of figures, those of the same launches reduced to like ones."""
    groups: dict[object, list[int]] = defaultdict(list)
    for index, (_, base, other) in enumerate(found):
        counts = len(base.launch_medians_s), len(other.launch_medians_s)
        groups[launch_key(base), launch_key(other), counts].append(index)
    likes: dict[int, Like] = {}
    for indices in groups.values():
        reduced = like_with_like([found[index][1:] for index in indices], FEWEST)
        likes |= zip(indices, reduced, strict=True)
    return [_Pair(*each, likes[index]) for index, each in enumerate(found)]


def _positive(point: PointSummary) -> bool:
    return min(point.median_s, *point.launch_medians_s, math.inf) > 0


def _seconds(pair: _Pair, point: PointSummary) -> float:
    """Return what a side takes: the level of its launches, their mean, or the median of one."""
    if pair.many:
        return level_s(point.launch_medians_s)
    return geometric_mean(point.launch_medians_s) if pair.testable else point.median_s


def _tests(pairs: Sequence[_Pair]) -> list[tuple[Ratio, float | None]]:
    """Return the ratio of each pair, and its corrected probability where launches can have one."""
    groups: dict[object, list[int]] = defaultdict(list)
    for index, pair in enumerate(pairs):
        if pair.testable:
            launches = pair.like.kept or pair.launches
            groups[launch_key(pair.base), launch_key(pair.other), launches].append(index)
    found: dict[int, tuple[Ratio, float | None]] = {}
    for indices in groups.values():
        sides = (
            np.array([getattr(pairs[index].like, side).launch_medians_s for index in indices])
            for side in ("base", "other")
        )
        for index, (ratio, p_value) in zip(indices, judge(*sides), strict=True):
            # Bonferroni's correction for groups of figures from other launches.
            found[index] = ratio, min(1.0, p_value * len(groups))
    return [found.get(index) or (_ratio(pair), None) for index, pair in enumerate(pairs)]


def _ratio(pair: _Pair) -> Ratio:
    found = time_ratio(pair.like.other, pair.like.base, "two runs")
    assert found is not None
    return found


def _compare_pair(pair: _Pair, found: Ratio, p_value: float | None, same_within: float) -> Compared:
    low, high = found.interval or (None, None)
    verdict = _verdict(pair, found, p_value, same_within)
    judged = verdict in ("faster", "slower") and p_value is not None
    visited = judged and (_states_overlap(pair, found) or _drifts(pair, found))
    explained = pair.is_explained(found)
    if visited or explained:
        verdict = "cannot tell"
    wanting = verdict == "cannot tell" and found.interval is not None and not visited
    return Compared(
        name=pair.name,
        base=pair.base,
        other=pair.other,
        base_s=_seconds(pair, pair.like.base),
        other_s=_seconds(pair, pair.like.other),
        ratio=found.median,
        low=low,
        high=high,
        method=found.method if found.interval else "no interval",
        p_value=p_value,
        verdict=verdict,
        launches_needed=_launches_needed(pair, found.median, same_within)
        if wanting and not explained
        else None,
        states_differ=visited,
        states=pair.like.states,
    )


def _verdict(pair: _Pair, found: Ratio, p_value: float | None, same_within: float) -> Verdict:
    useful = math.log1p(same_within)
    size = abs(math.log(found.median))
    direction: Verdict = "slower" if found.median > 1 else "faster"
    ends = [math.log(end) for end in found.interval or (found.median, found.median)]
    if found.interval and max(map(abs, ends)) <= useful:
        return "same"
    beyond = min(ends) > useful or max(ends) < -useful
    if p_value is None and pair.imported:
        # Nobody knows how launches scatter.
        return direction if beyond and size >= math.log(UNSURE_RATIO) else "cannot tell"
    if p_value is not None and p_value <= _ALPHA and beyond:
        return direction
    # The interval of single launches allows for others, and that of simulated ones is exact.
    sides = (pair.like.base, pair.like.other)
    if min(len(side.launch_medians_s) for side in sides) == 1 and found.interval and beyond:
        return direction
    return "cannot tell"


def _states_overlap(pair: _Pair, found: Ratio) -> bool:
    """Tell whether all of the slower side may be what the faster one also had in some launches.

    A machine that is slower for a while makes some launches of one side as slow as all of the
    other: then nobody knows whether these were only measured in such a while. One slow launch of
    many shows no such while.
    """
    fast, slow = pair.like.base.launch_medians_s, pair.like.other.launch_medians_s
    if found.median < 1:
        fast, slow = slow, fast
    if len(permutation.steady(slow)) < len(slow):
        return False
    low, high = min(slow) / permutation.STEADY, max(slow) * permutation.STEADY
    most = max(permutation.steady(fast))
    as_slow = sum(low <= seconds <= high for seconds in fast if seconds > most)
    return as_slow >= max(1, _WHILE * len(fast))


def _drifts(pair: _Pair, found: Ratio) -> bool:
    """Tell whether the two halves of one side, in the order of time, differ half as much.

    Launches that follow each other are alike, so that chance alone moves a run as a whole. Halves
    of few launches differ by chance: they count where they differ as much as the two sides.
    """
    of_half, times = (level_s, 2) if pair.many else (geometric_mean, 1)
    for point in (pair.like.base, pair.like.other):
        seconds = point.launch_medians_s
        halves = (seconds[: len(seconds) // 2], seconds[len(seconds) // 2 :])
        first, second = map(of_half, halves)
        if times * abs(math.log(second / first)) > abs(math.log(found.median)):
            return True
    return False


def _launches_needed(pair: _Pair, ratio: float, same_within: float) -> int | None:
    """Return how many launches of each would tell, from how those scatter that there are.

    As for means of normal logarithms: the launches of a side that are steady scatter by their
    standard deviation, and the others are lost. None where 1000 would not do.
    """
    sides = [point.launch_medians_s for point in (pair.like.base, pair.like.other)]
    steady = [[math.log(each) for each in permutation.steady(side)] for side in sides]
    if min(map(len, steady)) < 2:
        return _UNKNOWN_LAUNCHES
    kept = min(len(some) / len(all_) for some, all_ in zip(steady, sides, strict=True))
    scatter = sum(stdev(some) ** 2 for some in steady)
    useful, size = math.log1p(same_within), abs(math.log(ratio))
    sure = NormalDist().inv_cdf(1 - _ALPHA / 2)
    distance = max(abs(size - useful), 1e-9)
    needed = math.ceil(scatter * (sure / distance) ** 2 / kept)
    needed = max(needed, max(pair.launches) + 1)
    return needed if needed <= _MOST_LAUNCHES else None


KINDS: tuple[str, ...] = get_args(get_type_hints(Gate)["kind"])
_BY_SIZE = ("slower", "faster", "changed")


def parse_gate(text: str) -> Gate:
    """Return the gate that `text` means, such as `slower:5%` or `unverified`.

    >>> parse_gate("slower:5%")
    Gate(kind='slower', beyond=0.05)

    Raises `UserError` for anything else.
    """
    kind, colon, percent = text.partition(":")
    if kind not in KINDS or (colon and kind not in _BY_SIZE):
        raise UserError(
            f"unknown condition {text!r}: write {', '.join(KINDS)}; the first three take a size, "
            "such as slower:5%"
        )
    return Gate(kind=kind, beyond=parse_percent(percent) if colon else 0.0)  # type: ignore[arg-type]


def gate_text(gate: Gate) -> str:
    """Return the gate as `parse_gate` takes it."""
    return f"{gate.kind}:{100 * gate.beyond:.6g}%" if gate.beyond else gate.kind


def failures(comparison: Comparison, gates: Sequence[Gate]) -> tuple[Failure, ...]:
    """Return the gates that hold. A figure that nobody can judge is neither faster nor slower."""
    found = [(gate, _figures(comparison, gate)) for gate in gates]
    return tuple(Failure(gate=gate_text(gate), figures=names) for gate, names in found if names)


def _figures(comparison: Comparison, gate: Gate) -> tuple[str, ...]:
    if gate.kind == "missing":
        return comparison.only_base
    return tuple(each.name for each in comparison.figures if _holds(each, gate))


def _holds(figure: Compared, gate: Gate) -> bool:
    if gate.kind == "unverified":
        return not figure.other.verified
    wanted = ("slower", "faster") if gate.kind == "changed" else (gate.kind,)
    size = max(figure.ratio, 1 / figure.ratio) - 1
    return figure.verdict in wanted and size >= gate.beyond
