"""What is watched, and its last nights as the server shows them."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import median, median_low
from typing import NamedTuple

import msgspec
import numpy as np

from leadline.analysis.stats.trend import changes as level_changes
from leadline.core.units import count, format_seconds, times
from leadline.model.summary import PointSummary
from leadline.model.watched import FollowedFigure, NightFigure, Nights
from leadline.output.server.catalogue import Entry, Listed
from leadline.output.server.listing import is_measured, is_trial

# Runs of a plan on fewer days are no nights.
FEWEST_DAYS = 2
# That a figure which never changes seems to, at one place or more.
_CHANCE = 0.01

_WORDS = {
    "slower": "slower",
    "faster": "faster",
    "open": "looks slower, not sure",
    "noise": "looked slower, not when measured again",
    "unsteady": "looks slower, but has no usual time",
    "machine": "the whole machine",
    "learning": "history begins",
    "usual": "usual",
}
# The verdicts that come first in the table of figures.
_URGENT = ("slower", "open", "noise", "faster")


class Watched(msgspec.Struct, frozen=True, kw_only=True):
    """Runs of one plan on one machine, the oldest first. `key` is its part of an address."""

    key: str
    plan: str
    host: str
    benchmarks: tuple[str, ...]
    runs: tuple[str, ...]
    newest: str


class Change(NamedTuple):
    """What was another one in `run` than in the night before it.

    `what` is `machine`, `kernel`, `MPI`, or `time`: there the figure itself went to another level
    and stayed (`analysis.stats.trend`), by the medians of what lies between such changes.
    """

    run: Listed
    what: str
    before: str
    after: str


class FigureRow(NamedTuple):
    """A line of the table of figures, with the figure of each night and what changed between."""

    number: int
    name: str
    verdict: str
    tonight: str
    again: str
    points: list[tuple[Listed, PointSummary]]
    changes: list[Change]


def watched(entries: Mapping[str, Entry]) -> list[Watched]:
    """Return what was measured on several days on a machine, the newest first."""
    groups: dict[str, list[Listed]] = {}
    for entry in entries.values():
        run = entry.listed
        if (
            entry.alike
            and not entry.confirms
            and is_measured(run)
            and not is_trial(run)
            and run.state not in ("running", "damaged", "unreadable")
        ):
            groups.setdefault(entry.alike, []).append(run)
    plans = []
    for key, runs in groups.items():
        runs.sort(key=lambda run: (run.started or "", run.run))
        last = runs[-1]
        if len({(run.started or "")[:10] for run in runs}) >= FEWEST_DAYS:
            plans.append(
                Watched(
                    key=key,
                    plan=last.name,
                    host=last.host,
                    benchmarks=tuple(last.benchmarks),
                    runs=tuple(run.run for run in runs),
                    newest=last.started or "",
                )
            )
    return sorted(plans, key=lambda plan: plan.newest, reverse=True)


def figure_rows(nights: Nights, entries: Mapping[str, Entry]) -> list[FigureRow]:
    """Return the figures: those that are slower first, then by how much.

    A night whose run is not in `entries` is left out of a figure's points.
    """

    def urgency(numbered: tuple[int, FollowedFigure]) -> tuple[int, float]:
        last = numbered[1].nights[-1]
        rank = _URGENT.index(last.said) if last.said in _URGENT else len(_URGENT)
        return rank, -last.ratio

    rows = []
    for number, figure in sorted(enumerate(nights.figures), key=urgency):
        points = [
            (entries[night.run].listed, night.figure)
            for night in figure.nights
            if night.run in entries
        ]
        verdict = _verdict(figure.nights)
        rows.append(FigureRow(number, figure.name, *verdict, points, list(_changes(points))))
    return rows


def _verdict(nights: Sequence[NightFigure]) -> tuple[str, str, str]:
    """Return the last verdict, its ratio, and what was measured again since it has been so."""
    last, again = nights[-1], ""
    for each in itertools.takewhile(lambda each: each.said == last.said, reversed(nights)):
        if each.fresh_ratio is not None:
            again = f"{times(each.fresh_ratio)} in {count(each.fresh_launches, 'launch')}"
            break
    return _WORDS[last.said], "" if last.said == "learning" else times(last.ratio), again


# An interval of more than so many usual ones is cut.
_LONG = 3


def shown_times(figures: Sequence[PointSummary]) -> tuple[float, float]:
    """Return the ends of an axis in seconds on which medians and usual intervals are seen.

    A single long interval, as of a night with a busy neighbour, does not stretch it.
    """
    intervals = [each.interval for each in figures if each.interval]
    usual = median_low([high - low for low, high in intervals] or [0.0])
    ends = [each.median_s for each in figures]
    ends += [end for low, high in intervals if high - low <= _LONG * usual for end in (low, high)]
    shown = [end for end in ends if math.isfinite(end)] or [0.0]
    low, high = min(shown), max(shown)
    room = 0.06 * (high - low) or 0.06 * high or 1e-6
    return max(0.0, low - room), high + room


def _changes(points: Sequence[tuple[Listed, PointSummary]]) -> Iterator[Change]:
    runs = [run for run, _ in points]
    seconds = [figure.median_s for _, figure in points]
    levels: dict[int, tuple[float, float]] = {}
    if seconds and min(seconds) > 0:
        found = [each.position for each in level_changes(np.array(seconds), _CHANCE)]
        ends = [0, *found, len(seconds)]
        medians = [median(seconds[low:high]) for low, high in itertools.pairwise(ends)]
        levels = dict(zip(found, itertools.pairwise(medians), strict=True))
    for position in range(1, len(points)):
        run = runs[position]
        sides = [_circumstances(*points[at]) for at in (position - 1, position)]
        for what, before in sides[0].items():
            after = sides[1][what]
            if before and after and before != after:
                yield Change(run, what, before, after)
        if position in levels:
            yield Change(run, "time", *map(format_seconds, levels[position]))


def _circumstances(run: Listed, figure: PointSummary) -> dict[str, str]:
    return {
        "machine": run.host,
        "kernel": run.kernel,
        "MPI": run.versions.get(figure.mpi, figure.mpi),
    }


def night_rows(nights: Nights) -> Iterator[tuple[str, str, str, str]]:
    """Yield the run of each night, the newest first, how many figures have which verdict, which
    are slower, and how much slower the whole machine was.
    """
    for run in reversed(nights.runs):
        tonight = [
            (each.name, night)
            for each in nights.figures
            for night in each.nights
            if night.run == run
        ]
        counts: Counter[str] = Counter(night.said for _, night in tonight)
        verdicts = [f"{counts[said]} {words}" for said, words in _WORDS.items() if counts[said]]
        slower = [
            f"{name} {times(night.ratio)}"
            + (f", again {times(night.fresh_ratio)}" if night.fresh_ratio is not None else "")
            for name, night in tonight
            if night.said == "slower"
        ]
        ratio = nights.machine_ratios[run]
        machine = times(ratio) if ratio != 1 else ""
        yield run, ", ".join(verdicts), "; ".join(slower), machine
