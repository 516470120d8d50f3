"""One figure over all runs that have it, in the order of time."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import median
from typing import NamedTuple

import msgspec
import numpy as np

from leadline.analysis.stats.trend import changes
from leadline.core.units import format_seconds
from leadline.model.summary import PointSummary
from leadline.output.server.catalogue import Listed, ResultName

# That a figure which never changes seems to, at one place or more of a curve.
_CHANCE = 0.01


class TrendPoint(msgspec.Struct, frozen=True, kw_only=True):
    """The figure in one run. `curve` is what it is joined up with: an MPI, whatever its version,
    or one of several of the same family that a run used at once.
    """

    run: str
    started: str
    curve: str
    mpi: str
    version: str
    host: str
    kernel: str
    figure: PointSummary


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What was another one in `run` than in the run before it on the same curve.

    `what` is `machine`, `kernel`, `MPI`, or `time`: there the figure itself went to another level
    and stayed (`analysis.stats.trend`), by the medians of what lies between such changes.
    """

    curve: str
    run: str
    started: str
    what: str
    before: str
    after: str


class Trend(msgspec.Struct, frozen=True, kw_only=True):
    """A figure over time, the oldest run first.

    `left_out` names runs that should have the figure and could not be read, `earlier` counts
    those before the first one that was looked at, `elsewhere` those of other programs and of
    simulated machines, which are not drawn with what was measured here.
    """

    benchmark: str
    series: str
    variant: str
    bytes: int | None
    place: str
    points: tuple[TrendPoint, ...]
    changes: tuple[Change, ...]
    left_out: tuple[str, ...] = ()
    earlier: int = 0
    elsewhere: int = 0


class Seen(NamedTuple):
    """A run with those of its figures that have the name, one for each MPI."""

    run: Listed
    figures: tuple[PointSummary, ...]


def trend(
    name: ResultName, seen: Sequence[Seen], left_out: Sequence[str] = (), earlier: int = 0
) -> Trend:
    """Return the figure `name` of the runs in `seen`, whatever their order."""
    ordered = sorted(seen, key=lambda each: (each.run.started or "", each.run.run))
    points = tuple(_points(ordered))
    curves: dict[str, list[TrendPoint]] = defaultdict(list)
    for point in points:
        curves[point.curve].append(point)
    found = [change for curve in curves.values() for change in _changes(curve)]
    return Trend(
        **name._asdict(),
        points=points,
        changes=tuple(sorted(found, key=lambda change: (change.started, change.run))),
        left_out=tuple(left_out),
        earlier=earlier,
    )


def _points(seen: Sequence[Seen]) -> Iterator[TrendPoint]:
    families = [[_family(each.run, one.mpi) for one in each.figures] for each in seen]
    alone = all(len(set(own)) == len(own) for own in families)
    for each, own in zip(seen, families, strict=True):
        for figure, family in zip(each.figures, own, strict=True):
            yield TrendPoint(
                run=each.run.run,
                started=each.run.started or "",
                curve=family if alone else figure.mpi,
                mpi=figure.mpi,
                version=each.run.versions.get(figure.mpi, figure.mpi),
                host=each.run.host,
                kernel=each.run.kernel,
                figure=figure,
            )


def _family(run: Listed, mpi: str) -> str:
    return run.versions.get(mpi, mpi).split(" ")[0] or mpi


def _changes(points: Sequence[TrendPoint]) -> Iterator[Change]:
    for before, after in itertools.pairwise(points):
        for what, old, new in (
            ("machine", before.host, after.host),
            ("kernel", before.kernel, after.kernel),
            ("MPI", before.version, after.version),
        ):
            if old and new and old != new:
                yield Change(
                    curve=after.curve,
                    run=after.run,
                    started=after.started,
                    what=what,
                    before=old,
                    after=new,
                )
    seconds = [point.figure.median_s for point in points]
    if min(seconds) > 0:
        for position, low, high in level_changes(seconds, _CHANCE):
            yield Change(
                curve=points[position].curve,
                run=points[position].run,
                started=points[position].started,
                what="time",
                before=format_seconds(low),
                after=format_seconds(high),
            )


def level_changes(values: Sequence[float], chance: float) -> Iterator[tuple[int, float, float]]:
    """Yield where values went to another level and stayed, and the medians before and after.

    `chance` is that of one or more among values that never change.
    """
    starts = [0, *(each.position for each in changes(np.array(values), chance)), len(values)]
    medians = [median(values[low:high]) for low, high in itertools.pairwise(starts)]
    yield from zip(starts[1:], medians, medians[1:], strict=False)
