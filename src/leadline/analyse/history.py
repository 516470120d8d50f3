"""A run against all that went before it: a run is one sample of the machine over time."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean, geometric_mean, stdev
from typing import NamedTuple

import msgspec

from leadline.analyse import launches
from leadline.analyse.changes import changes
from leadline.analyse.compare import SAME_WITHIN, compare
from leadline.analyse.matching import match, names
from leadline.analyse.multiple import simultaneous_confidence
from leadline.analyse.permutation import steady
from leadline.analyse.student import t_quantile
from leadline.model.comparison import Compared, Comparison, Turn
from leadline.model.summary import PointSummary

# So many earlier runs show how far runs differ by themselves.
ENOUGH_RUNS = 3

# Of one figure over all runs; what is reported is looked at by people.
_CHANCE = 0.01


class Dated(NamedTuple):
    """The figures of a run under its name."""

    name: str
    points: tuple[PointSummary, ...]


def against_history(
    past: Sequence[Dated], new: Dated, same_within: float = SAME_WITHIN
) -> Comparison:
    """Return `new` against the launches of all runs in `past`, the oldest first, at least one.

    From 3 earlier runs a figure is only `faster` or `slower` where its level is also outside of
    what these lead one to expect of the next run: the prediction interval of the logarithms of
    their levels, as of a normal distribution (Hahn & Meeker, "Statistical Intervals", 1991, section
    4.7), wide enough for all figures together.
    """
    matched = _levels(past, new)
    pooled = [_pooled(new.points[index], [one for _, one in found]) for index, found in matched]
    name = past[0].name if len(past) == 1 else f"{len(past)} earlier runs"
    whole = compare(name, pooled, new.name, new.points, same_within)
    before = {id(new.points[index]): [_level(one) for _, one in found] for index, found in matched}
    confidence = simultaneous_confidence(max(1, len(whole.figures)))
    figures = tuple(_judged(each, before[id(each.other)], confidence) for each in whole.figures)
    last = past[-1].points
    gone = [names(last, {})[index] for index in match(last, new.points).only_base]
    return msgspec.structs.replace(whole, figures=figures, only_base=tuple(gone))


def turns(past: Sequence[Dated], new: Dated) -> tuple[Turn, ...]:
    """Return where figures of `new` went to another level and stayed, over all runs in time.

    `analyse.changes` needs about ten runs to see one.
    """
    import numpy as np

    named = names(new.points, {})
    found = []
    for index, earlier in _levels(past, new):
        every = [*earlier, (new.name, new.points[index])]
        values = np.array([_level(point) for _, point in every])
        for change in changes(values, _CHANCE):
            found.append(
                Turn(
                    figure=named[index],
                    run=every[change.position][0],
                    ratio=change.factor,
                )
            )
    return tuple(found)


def _levels(past: Sequence[Dated], new: Dated) -> list[tuple[int, list[tuple[str, PointSummary]]]]:
    """Return for each figure of `new` that had a time before its runs and figures, in time."""
    found: dict[int, list[tuple[str, PointSummary]]] = defaultdict(list)
    for run in past:
        for old, index in match(run.points, new.points).pairs:
            if min(run.points[old].launch_medians_s, default=0.0) > 0:
                found[index].append((run.name, run.points[old]))
    return sorted(found.items())


def _level(point: PointSummary) -> float:
    return geometric_mean(steady(point.launch_medians_s))


def _pooled(like: PointSummary, points: Sequence[PointSummary]) -> PointSummary:
    """Return the launches of all `points` as one figure that measures what `like` does."""
    import numpy as np

    medians = [seconds for point in points for seconds in point.launch_medians_s]
    whole = launches.estimate([np.array([seconds]) for seconds in medians])
    return msgspec.structs.replace(
        points[-1],
        axes=like.axes,
        settings=like.settings,
        knobs=like.knobs,
        mpi=like.mpi,
        launches=len(medians),
        samples=sum(point.samples for point in points),
        launch_medians_s=tuple(medians),
        median_s=whole.median,
        ci95_low_s=whole.interval.low,
        ci95_high_s=whole.interval.high,
        ci95_method=whole.method,
        verified=all(point.verified for point in points),
    )


def _judged(figure: Compared, before: Sequence[float], confidence: float) -> Compared:
    if figure.verdict not in ("faster", "slower") or len(before) < ENOUGH_RUNS:
        return figure
    logarithms = [math.log(level) for level in before]
    reach = t_quantile(confidence, len(before) - 1) * stdev(logarithms)
    away = abs(math.log(figure.other_s) - fmean(logarithms))
    if away > reach * math.sqrt(1 + 1 / len(before)):
        return figure
    return msgspec.structs.replace(figure, verdict="cannot tell", states_differ=True)
