"""What is watched, and its last nights as the server shows them."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from leadline.core.units import count, times
from leadline.model.watched import FollowedFigure, NightFigure, Nights
from leadline.output.server.catalogue import Entry, name_of
from leadline.output.server.listing import is_measured, is_trial
from leadline.output.server.trend import Seen, Trend, trend

# Fewer runs of a plan are no history.
FEWEST = 2

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


def trend_of(figure: FollowedFigure, entries: Mapping[str, Entry]) -> Trend:
    """Return a figure over its nights, with what changed between them."""
    seen = [
        Seen(entries[each.run].listed, (each.figure,))
        for each in figure.nights
        if each.run in entries
    ]
    return trend(name_of(figure.nights[-1].figure), seen)


def night_rows(found: Nights) -> Iterator[tuple[str, str, str, str]]:
    """Yield the run of each night, the newest first, how many figures have which verdict, which
    are slower, and how much slower the whole machine was.
    """
    for run in reversed(found.runs):
        tonight = [
            (each.name, night)
            for each in found.figures
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
        ratio = found.machine_ratios[run]
        machine = times(ratio) if ratio != 1 else ""
        yield run, ", ".join(verdicts), "; ".join(slower), machine
