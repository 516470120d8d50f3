"""The history of a run: it against all earlier ones, each one sample of the machine over time."""

import math
from collections.abc import Sequence
from statistics import fmean, median, stdev
from typing import NamedTuple

import msgspec
import numpy as np

from leadline.analysis.compare.compare import SAME_WITHIN, compare
from leadline.analysis.compare.matching import match, names
from leadline.analysis.results.states import pooled_readings
from leadline.analysis.stats import launches
from leadline.analysis.stats.comparison import level_s
from leadline.analysis.stats.student import simultaneous_confidence, t_quantile
from leadline.analysis.stats.trend import changes
from leadline.model.comparison import Compared, Comparison, Turn
from leadline.model.summary import PointSummary

# So many earlier runs show how far runs differ by themselves.
ENOUGH_RUNS = 3


class Dated(NamedTuple):
    """The figures of a run under its name."""

    name: str
    points: tuple[PointSummary, ...]


class Watched(NamedTuple):
    """A run against its past, and since when each figure is at another level."""

    comparison: Comparison
    turns: tuple[Turn, ...]


def watch(past: Sequence[Dated], new: Dated, same_within: float = SAME_WITHIN) -> Watched:
    """Return `new` against the launches of all runs in `past`, the oldest first, at least one.

    The last runs that are at a new level already do not count as past, until they are half of it:
    the first of them is where the figure turned. From 3 earlier runs a figure is only `faster` or
    `slower` where its level is also outside of what these lead one to expect of the next run: the
    prediction interval of the logarithms of their levels, as of a normal distribution (Hahn &
    Meeker, "Statistical Intervals", 1991, section 4.7), wide enough for all figures together.

    A figure that is neither may have turned earlier: `analyse.changes` says so from ten runs on.
    """
    series = _series(past, new)
    confidence = simultaneous_confidence(max(1, len(series)))
    found = compare(
        past[0].name if len(past) == 1 else f"{len(past)} earlier runs",
        [_pool(one, same_within) for one in series],
        new.name,
        new.points,
        same_within,
    )
    by_figure = {id(one.now): one for one in series}
    figures, turns = [], []
    for figure in found.figures:
        one = by_figure[id(figure.other)]
        judged = _judge(figure, one.levels[: one.turn(same_within)], confidence)
        figures.append(judged)
        turns += _turns(judged, one, same_within, (1 - confidence))
    gone = missing(past, new)
    return Watched(
        msgspec.structs.replace(found, figures=tuple(figures), only_base=gone), tuple(turns)
    )


def missing(past: Sequence[Dated], new: Dated) -> tuple[str, ...]:
    """Return the names of the figures that the last of the runs in `past` has and `new` lacks."""
    if not past:
        return ()
    last = past[-1].points
    named = names(last, {})
    return tuple(named[index] for index in match(last, new.points).only_base)


class _Series(NamedTuple):
    """A figure as it is now, and in all earlier runs that have it, by their names."""

    now: PointSummary
    runs: tuple[str, ...]
    points: tuple[PointSummary, ...]

    @property
    def levels(self) -> list[float]:
        return [_level(point) for point in self.points]

    def turn(self, same_within: float) -> int:
        """Return how many of the earlier runs came before the level that it has now."""
        levels, now = self.levels, _level(self.now)
        typical, count = median(levels), len(levels)
        if abs(math.log(now / typical)) <= math.log1p(same_within):
            return count
        while count > 1 and _nearer(levels[count - 1], now, typical):
            count -= 1
        return count


def _nearer(level: float, to: float, than: float) -> bool:
    return abs(math.log(level / to)) < abs(math.log(level / than))


def _series(past: Sequence[Dated], new: Dated) -> list[_Series]:
    """Return the figures of `new` that had times before."""
    found: dict[int, list[tuple[str, PointSummary]]] = {}
    for run in past:
        for old, index in match(run.points, new.points).pairs:
            if min(run.points[old].launch_medians_s, default=0.0) > 0:
                found.setdefault(index, []).append((run.name, run.points[old]))
    return [
        _Series(new.points[index], *zip(*found[index], strict=True))
        for index in sorted(found)
        if min(new.points[index].launch_medians_s, default=0.0) > 0
    ]


def _level(point: PointSummary) -> float:
    return level_s(point.launch_medians_s)


def _pool(one: _Series, same_within: float) -> PointSummary:
    points = one.points[: one.turn(same_within)]
    if len(points) == 1:
        chosen = {name: getattr(one.now, name) for name in ("axes", "settings", "knobs", "mpi")}
        return msgspec.structs.replace(points[0], **chosen)
    medians = [seconds for point in points for seconds in point.launch_medians_s]
    whole = launches.estimate([np.array([seconds]) for seconds in medians])
    return msgspec.structs.replace(
        one.now,
        launches=len(medians),
        samples=sum(point.samples for point in points),
        launch_medians_s=tuple(medians),
        readings=pooled_readings(points),
        median_s=whole.median,
        ci95_low_s=whole.interval and whole.interval.low,
        ci95_high_s=whole.interval and whole.interval.high,
        ci95_method=whole.method,
        verified=all(point.verified for point in points),
    )


def _judge(figure: Compared, before: Sequence[float], confidence: float) -> Compared:
    if figure.verdict not in ("faster", "slower") or len(before) < ENOUGH_RUNS:
        return figure
    logarithms = [math.log(level) for level in before]
    reach = t_quantile(confidence, len(before) - 1) * stdev(logarithms)
    away = abs(math.log(figure.other_s) - fmean(logarithms))
    if away > reach * math.sqrt(1 + 1 / len(before)):
        return figure
    return msgspec.structs.replace(figure, verdict="cannot tell", states_differ=True)


def _turns(figure: Compared, one: _Series, same_within: float, chance: float) -> list[Turn]:
    if figure.verdict in ("faster", "slower"):
        turn = one.turn(same_within)
        run = one.runs[turn] if turn < len(one.runs) else ""
        return [Turn(figure=figure.name, run=run, ratio=figure.ratio)]
    found = changes(np.array([*one.levels, _level(one.now)]), chance)
    useful = math.log1p(same_within)
    return [
        Turn(
            figure=figure.name,
            run=one.runs[change.position] if change.position < len(one.runs) else "",
            ratio=change.factor,
        )
        for change in found
        if abs(math.log(change.factor)) > useful
    ]
