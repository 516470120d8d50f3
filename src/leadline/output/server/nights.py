"""What is watched, and its last nights as the server shows them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from leadline.core.units import count, times
from leadline.model.watched import FollowedFigure, NightFigure, Nights
from leadline.output.server.cache import Cache, Workers
from leadline.output.server.catalogue import Entry, name_of
from leadline.output.server.charts import over_time
from leadline.output.server.choice import query_of
from leadline.output.server.inspection import inspect
from leadline.output.server.listing import is_measured, is_trial
from leadline.output.server.responses import part
from leadline.output.server.results import guard_errors, key_of
from leadline.output.server.trend import Seen, Trend, trend

Watch = Callable[[Sequence[Path]], Nights]

# Fewer runs of a plan are no history.
FEWEST = 2
# More than `watch` looks back: what comes before needs not be read.
_MOST = 60

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


class Watched(msgspec.Struct, frozen=True, kw_only=True):
    """Runs of one plan on one machine, the oldest first. `key` is its part of an address."""

    key: str
    plan: str
    host: str
    benchmarks: tuple[str, ...]
    runs: tuple[str, ...]
    newest: str


class FigureRow(NamedTuple):
    """A line of the table of figures."""

    number: int
    name: str
    said: str
    tonight: str
    again: str
    trend: Trend


class NightRow(NamedTuple):
    """A line of the table of nights: how many figures have which verdict."""

    run: str
    started: str
    said: str
    slower: tuple[str, ...]
    machine: str
    measured_again: str


def watched(entries: Mapping[str, Entry]) -> list[Watched]:
    """Return what was measured at least twice on a machine, the newest first."""
    groups: dict[str, list[Entry]] = {}
    for entry in entries.values():
        if (
            entry.alike
            and not entry.confirms
            and is_measured(entry.listed)
            and not is_trial(entry.listed)
            and entry.listed.state not in ("running", "damaged", "unreadable")
        ):
            groups.setdefault(entry.alike, []).append(entry)
    found = []
    for key, group in groups.items():
        group.sort(key=lambda entry: (entry.listed.started or "", entry.listed.run))
        last = group[-1].listed
        if len(group) >= FEWEST:
            found.append(
                Watched(
                    key=key,
                    plan=last.name,
                    host=last.host,
                    benchmarks=tuple(last.benchmarks),
                    runs=tuple(entry.listed.run for entry in group),
                    newest=last.started or "",
                )
            )
    return sorted(found, key=lambda each: each.newest, reverse=True)


class NightHistory:
    """Makes and keeps the nights of what is watched; `watch` judges those in run folders.

    Raises `UserError` where they cannot be read, and `NotYet` after `patience_s`.
    """

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._nights = Cache(Workers(), 16)

    def nights(
        self, of: Watched, entries: Mapping[str, Entry], patience_s: float | None = None
    ) -> Nights:
        """Return the last nights of what is watched."""
        chosen = [entries[name] for name in of.runs[-_MOST:]]
        again = [entry for entry in entries.values() if entry.confirms in of.runs]

        def make() -> Nights:
            for entry in (*chosen, *again):
                inspect(entry.path)
            return self._watch([entry.path for entry in chosen])

        key = tuple(key_of(entry) for entry in (*chosen, *again))
        return self._nights.get(key, guard_errors(make), patience_s)


def figure_rows(found: Nights, entries: Mapping[str, Entry]) -> list[FigureRow]:
    """Return the figures: those that are slower first, then by how much."""
    rows = [
        FigureRow(number, each.name, *_verdict(each.nights), trend_of(each, entries))
        for number, each in enumerate(found.figures)
    ]

    def urgency(row: FigureRow) -> tuple[int, float]:
        last = found.figures[row.number].nights[-1]
        order = ("slower", "open", "noise", "faster")
        return order.index(last.said) if last.said in order else len(order), -last.ratio

    return sorted(rows, key=urgency)


def _verdict(nights: Sequence[NightFigure]) -> tuple[str, str, str]:
    """Return the last verdict, its ratio, and what was measured again since it has been so."""
    last, again = nights[-1], ""
    for each in itertools.takewhile(lambda each: each.said == last.said, reversed(nights)):
        if each.fresh_ratio is not None:
            again = f"{times(each.fresh_ratio)} in {count(each.fresh_launches, 'launch')}"
            break
    return _WORDS[last.said], "" if last.said == "learning" else times(last.ratio), again


def _alarm(name: str, night: NightFigure) -> str:
    again = f", again {times(night.fresh_ratio)}" if night.fresh_ratio is not None else ""
    return f"{name} {times(night.ratio)}{again}"


def trend_of(figure: FollowedFigure, entries: Mapping[str, Entry]) -> Trend:
    """Return a figure over its nights, with what changed between them."""
    seen = [
        Seen(entries[each.run].listed, (each.figure,))
        for each in figure.nights
        if each.run in entries
    ]
    return trend(name_of(figure.nights[-1].figure), seen)


def shown(of: Watched, found: Nights, entries: Mapping[str, Entry], figure: str) -> dict[str, Any]:
    """Return what the page shows: all of `found`, and of one figure its level over the nights.

    `figure` is its number; where there is no such figure it is the one that stands first.
    """
    figures = figure_rows(found, entries)
    chosen = next((row for row in figures if str(row.number) == figure), figures[0])
    address = {point.run: f"/runs/{part(point.run)}" for point in chosen.trend.points}
    return {
        "watched": of,
        "nights": found,
        "shown": chosen,
        "figures": figures,
        "rows": night_rows(found, entries),
        "charts": over_time(chosen.trend, address),
        "shows": "The median of one operation in each night (symbol, a link to the run) with its "
        "95 % interval (bar). A red line stands where the figure went to another level, a dashed "
        "one where machine, kernel or MPI became another one.",
        "query": query_of(name_of(found.figures[chosen.number].nights[-1].figure)),
    }


def night_rows(found: Nights, entries: Mapping[str, Entry]) -> list[NightRow]:
    """Return the nights, the newest first."""
    rows = []
    for run in reversed(found.runs):
        tonight = [
            (each.name, one) for each in found.figures for one in each.nights if one.run == run
        ]
        counts = {
            words: number
            for said, words in _WORDS.items()
            if (number := sum(one.said == said for _, one in tonight))
        }
        ratio = found.machine_ratios[run]
        rows.append(
            NightRow(
                run,
                (entries[run].listed.started or "") if run in entries else "",
                ", ".join(f"{number} {words}" for words, number in counts.items()),
                tuple(_alarm(name, one) for name, one in tonight if one.said == "slower"),
                times(ratio) if ratio != 1 else "",
                found.measured_again.get(run, ""),
            )
        )
    return rows
