"""What slows a curve of sizes down, each cause once: slow sizes, switches, falls, and splits.

A size that a larger one beats is the library's choice of a poor way. What is left of steps is a
switch of protocol or algorithm, what is left of falling rates a fall, and only where none of these
is the cause do two halves tell anything.
"""

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.limits import sustained
from leadline.analysis.findings.words import and_text, place_of
from leadline.analysis.results.sweep import NEAR_SIZES, steps
from leadline.analysis.stats.comparison import Ratio, clearly_longer, in_series, time_ratio
from leadline.model.summary import PointSummary, Sweep

# The largest of many ratios of single numbers must be large.
_SEARCHED = 1.5
# A rate that is less by this factor at the largest size has fallen.
_MUCH = 1.25
# A rate that rises by this factor beyond a size has not fallen for good there.
_RISING = 1.05
# What is so near to the best rate has not fallen yet.
HELD = 0.9


class Loss(NamedTuple):
    """The figure `slow` takes `ratio` times as long as what the figure `fast` stands for."""

    ratio: Ratio
    slow: int
    fast: int


class LossyCurve(NamedTuple):
    """The figures of a curve, what all of them have in common, and its losses."""

    variant: object
    points: tuple[int, ...]
    losses: tuple[Loss, ...]

    @property
    def worst(self) -> Loss:
        """The largest loss."""
        return max(self.losses, key=lambda one: one.ratio.median)


def plateau(rates: Sequence[float], share: float) -> tuple[int, int, int]:
    """Return the place of the best rate, and of the first and last near it of such a share."""
    best = first = last = max(range(len(rates)), key=rates.__getitem__)
    while first and rates[first - 1] >= share * rates[best]:
        first -= 1
    while last + 1 < len(rates) and rates[last + 1] >= share * rates[best]:
        last += 1
    return best, first, last


class Switch(NamedTuple):
    """A step between two figures: `factor` is beyond smooth growth, below 1 where it gains."""

    before: int
    after: int
    factor: float


class Fall(NamedTuple):
    """A curve whose rate at the largest size is less than the best, and from which size on."""

    sweep: Sweep
    best: int
    begin: int
    less: Ratio


def slow_sizes(evidence: Evidence, sweep: Sweep) -> tuple[Loss, ...]:
    """Return the sizes that take longer than a larger one, if a program may pad its data."""
    if not evidence.may("pad", sweep.benchmark):
        return ()
    found = list(_every_slow_size(evidence, sweep))
    lost = {one.slow for one in found if one.ratio.median >= _SEARCHED}

    def believed(one: Loss) -> bool:
        place = sweep.points.index(one.slow)
        near = sweep.points[max(0, place - 1) : place + 2]
        # A single number that juts out alone was disturbed.
        return bool(one.ratio.interval) or (one.slow in lost and len(lost.intersection(near)) > 1)

    return tuple(filter(believed, found))


def _every_slow_size(evidence: Evidence, sweep: Sweep) -> Iterator[Loss]:
    points = evidence.points
    sound = [index for index in sweep.points if not evidence.mostly_disturbed(index)]
    for place, small in enumerate(sound[:-1]):
        near = list(_reached(evidence, sound[place:]))
        if not near:
            continue
        large = min(near, key=lambda index: points[index].median_s)
        ratio = time_ratio(points[small], points[large])
        if ratio is not None and clearly_longer(ratio):
            yield Loss(ratio, small, large)


def _reached(evidence: Evidence, ascending: Sequence[int]) -> Iterator[int]:
    """Yield the larger sizes of the first one's stretch: its sizes are at most 4 times apart."""
    for before, after in itertools.pairwise(ascending):
        least, most = (evidence.points[index].bytes or 0 for index in (before, after))
        if most > NEAR_SIZES * max(least, 1):
            return
        yield after


def switches(evidence: Evidence, sweep: Sweep) -> list[Switch]:
    """Return the steps of a curve of messages, but for edges of its slow sizes, and a fall."""
    fallen = fall(evidence, sweep)
    return [one for one in _steps(evidence, sweep) if not fallen or one.after != fallen.begin]


def _steps(evidence: Evidence, sweep: Sweep) -> list[Switch]:
    if not evidence.sends(sweep.benchmark):
        return []
    kept_up = sustained(evidence, sweep)
    slow = {one.slow for one in slow_sizes(evidence, sweep)}
    found = []
    for step in steps([evidence.points[index] for index in sweep.points]):
        sides = sweep.points[step.position - 1 : step.position + 1]
        if slow.isdisjoint(sides) and not any(
            evidence.mostly_disturbed(i) or i not in kept_up for i in sides
        ):
            found.append(Switch(sides[0], sides[1], step.factor))
    return found


def fall(evidence: Evidence, sweep: Sweep) -> Fall | None:
    """Return where the rate of a curve falls for good, unless a switch or slow size is the cause.

    Figures that are mostly disturbed say nothing of the machine's own limits.
    """
    usable = sustained(evidence, sweep)
    if not usable:
        return None
    index = max(usable, key=lambda i: evidence.points[i].bandwidth_MBps or 0.0)
    best, last = evidence.points[index], evidence.points[sweep.points[-1]]
    if evidence.mostly_disturbed(index) or evidence.mostly_disturbed(sweep.points[-1]):
        return None
    ratio = time_ratio(last, best)
    if not (best.bandwidth_MBps and last.bandwidth_MBps and ratio):
        return None
    # What is left of the ratio of times when more data is taken out of it.
    growth = last.bandwidth_MBps * last.median_s / (best.bandwidth_MBps * best.median_s)
    less = ratio.scaled(1 / growth)
    if not clearly_longer(less, useful=_MUCH):
        return None
    begin = _begin(evidence, sweep, best)
    causes = {one.slow for one in slow_sizes(evidence, sweep)}
    # Beyond a switch of protocol the rate rises again, beyond a cache it does not.
    if last.bandwidth_MBps > _RISING * (evidence.points[begin].bandwidth_MBps or 0.0):
        causes |= {one.after for one in _steps(evidence, sweep)}
    return None if begin in causes else Fall(sweep, index, begin, less)


def _begin(evidence: Evidence, sweep: Sweep, best: PointSummary) -> int:
    """Return the first figure of those, up to the largest, that never come near the best again."""
    begin = sweep.points[-1]
    for index in reversed(sweep.points):
        if (evidence.points[index].bandwidth_MBps or 0.0) >= HELD * (best.bandwidth_MBps or 0.0):
            break
        begin = index
    return begin


def halves(evidence: Evidence, sweep: Sweep) -> Iterator[Loss]:
    """Yield the sizes that take longer than two calls with half the data, whatever the cause."""
    if not evidence.may("split", sweep.benchmark):
        return
    points = evidence.points
    by_size = {points[index].bytes or 0: index for index in sustained(evidence, sweep)}
    for size, whole in by_size.items():
        half = by_size.get(size // 2) if size > 0 and size % 2 == 0 else None
        if half is None or evidence.mostly_disturbed(whole) or evidence.mostly_disturbed(half):
            continue
        ratio = time_ratio(points[whole], in_series([points[half]] * 2))
        if ratio is None or not clearly_longer(ratio):
            continue
        # A single number above the next larger size, too, was disturbed.
        after = sweep.points[sweep.points.index(whole) + 1 :][:1]
        alone = any(points[index].median_s < points[whole].median_s for index in after)
        if ratio.interval or not alone:
            yield Loss(ratio, whole, half)


def splits(evidence: Evidence, sweep: Sweep) -> Iterator[Loss]:
    """Yield the sizes that two halves beat where no other cause has been found.

    A buffer that is sent again and again stays in a cache that the whole of a program's data does
    not fit: inside a node, halves count only where the whole stays in the core's own cache too, or
    none of it.
    """
    known = {one.slow for one in slow_sizes(evidence, sweep)}
    known |= {one.after for one in switches(evidence, sweep)}
    fallen = fall(evidence, sweep)
    if fallen:
        known |= set(sweep.points[sweep.points.index(fallen.begin) :])
    yield from (
        one
        for one in halves(evidence, sweep)
        if one.slow not in known and not _of_a_cache(evidence, evidence.points[one.slow])
    )


def _of_a_cache(evidence: Evidence, point: PointSummary) -> bool:
    warm = point.nodes == 1 and point.settings.get("cache") != "cold"
    known = bool(evidence.run.imported or _caches(evidence))
    return warm and known and private_cache(evidence, point) is None


def cache_that_ends(evidence: Evidence, fallen: Fall) -> tuple[str, int] | None:
    """Return the cache, and its bytes, that the buffers of a falling rate no longer fit, if any."""
    places = fallen.sweep.points
    before = evidence.points[places[max(0, places.index(fallen.begin) - 1)]]
    begin = evidence.points[fallen.begin]
    if begin.nodes > 1:
        return None
    # What is sent and what is received.
    filled = 2 * (begin.bytes or 0)
    ended = [one for one in _caches(evidence) if (before.bytes or 0) < one[1] <= filled]
    return ended[-1] if ended else None


def private_cache(evidence: Evidence, point: PointSummary) -> str | None:
    """Return the core's own cache that both buffers of a figure stay in, None if there is none."""
    if point.nodes > 1 or point.settings.get("cache") == "cold":
        return None
    fits = (n for n, b in _caches(evidence)[:2] if 2 * (point.bytes or 0) <= b)
    return next(fits, None)


def _caches(evidence: Evidence) -> list[tuple[str, int]]:
    run = evidence.run
    if run.imported or run.platform:
        return []
    known = {n: b for n, b in (run.machine.get("caches_bytes") or {}).items() if n != "L1i" and b}
    return sorted(known.items(), key=lambda one: one[1])


def lossy_curves(
    evidence: Evidence, losses: Callable[[Evidence, Sweep], Iterator[Loss]]
) -> Iterator[list[LossyCurve]]:
    """Yield the curves with any loss of each benchmark and MPI, that with the largest first."""
    groups: dict[tuple[str, str], list[LossyCurve]] = defaultdict(list)
    for sweep in evidence.curves:
        if found := tuple(losses(evidence, sweep)):
            groups[sweep.benchmark, sweep.mpi].append(
                LossyCurve((sweep.series, sweep.variant), sweep.points, found)
            )
    for curves in groups.values():
        yield sorted(curves, key=lambda one: -one.worst.ratio.median)


def places_text(evidence: Evidence, figures: Sequence[int]) -> str:
    """Return where these figures were measured, ` on 2, 4 and 8 processes`, if it varies."""
    points = [evidence.points[index] for index in figures]
    if len({place_of(point) for point in evidence.points}) < 2:
        return ""
    counts = sorted({point.processes for point in points})
    places = sorted({place_of(point) for point in points})
    if len(counts) < 2 or len(places) > len(counts):
        return f" on {and_text(places)}"
    return f" on {and_text([str(each) for each in counts])} processes"


def points_of(curves: Sequence[LossyCurve]) -> tuple[int, ...]:
    """Return the indices of all figures that prove the losses."""
    return tuple(
        dict.fromkeys(
            index for one in curves for each in one.losses for index in (each.slow, each.fast)
        )
    )
