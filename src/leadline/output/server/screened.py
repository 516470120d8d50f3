"""Nodes over the nights in which they were screened: levels, their changes, and what was suspected.

A node is held against the other nodes of the same screening: what all of them take longer is no
change of the node.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple

import msgspec

from leadline.core.units import format_seconds, precise_times
from leadline.model.screen import Screen, Suspect
from leadline.output.server.catalogue import Entry
from leadline.output.server.trend import Change, level_changes

# That a figure which never changes on any node seems to on one of them, or more.
_CHANCE = 0.01
OTHERS = "other nodes"


class Screening(NamedTuple):
    """A screening, and when its run started."""

    started: str
    screen: Screen


class NodeNight(msgspec.Struct, frozen=True, kw_only=True):
    """A node in the screening `run`: its figures in seconds, and what was suspected of it.

    `others` has the median of the other nodes of its kind, empty where there are none. A link is a
    suspect of both its nodes.
    """

    run: str
    started: str
    figures: dict[str, float]
    others: dict[str, float]
    suspects: tuple[Suspect, ...]


class NodeHistory(msgspec.Struct, frozen=True, kw_only=True):
    """A node in all screenings that have it, the oldest first.

    `changes` are those of its figures, whose name is their `curve`: `what` is `node` where it went
    to another level than the other nodes, `time` where it has no others, or `other nodes` where
    these did.
    """

    node: str
    nights: tuple[NodeNight, ...]
    changes: tuple[Change, ...]

    @property
    def figures(self) -> tuple[str, ...]:
        """The figures that any night has."""
        return tuple(dict.fromkeys(name for night in self.nights for name in night.figures))

    @property
    def suspects(self) -> tuple[Suspect, ...]:
        """What the newest screening suspects of it."""
        return self.nights[-1].suspects

    @property
    def suspected_since(self) -> str:
        """The run since which each screening suspected it, empty where the newest does not."""
        nights = itertools.takewhile(lambda night: night.suspects, reversed(self.nights))
        return next((night.run for night in reversed([*nights])), "")

    def newest_with(self, figure: str) -> NodeNight:
        """Return the newest screening that has the figure."""
        return next(night for night in reversed(self.nights) if figure in night.figures)

    def ratio(self, figure: str) -> float:
        """Return the newest level over that of the other nodes, 1 where there are none."""
        night = self.newest_with(figure)
        return night.figures[figure] / night.others.get(figure, night.figures[figure])


def screenings_of(entries: Iterable[Entry]) -> list[Screening]:
    """Return the screenings among the runs, the oldest first."""
    found = [
        Screening(entry.listed.started or "", entry.screen)
        for entry in entries
        if entry.screen and entry.is_readable
    ]
    return sorted(found, key=lambda each: (each.started, each.screen.run))


def histories(screenings: Sequence[Screening], only: str | None = None) -> list[NodeHistory]:
    """Return the nodes of all screenings, or `only` one of them: in the order of their names."""
    nights: dict[str, list[NodeNight]] = {}
    for started, screen in screenings:
        figures = _figures(screen)
        blamed: dict[str, list[Suspect]] = {}
        for suspect in screen.suspects:
            for name in suspect.ends:
                blamed.setdefault(name, []).append(suspect)
        kinds = [*map(set, screen.kinds.values())]
        kinds.append(set(figures).difference(*kinds))
        peers: dict[str, Mapping[str, Sequence[float]]] = {}
        for kind in kinds:
            peers |= dict.fromkeys(kind, _ordered_times(figures, kind))
        for node in dict.fromkeys((*screen.nodes, *blamed)):
            if only in (None, node):
                nights.setdefault(node, []).append(
                    NodeNight(
                        run=screen.run,
                        started=started,
                        figures=figures.get(node, {}),
                        others=_medians_of_others(figures.get(node, {}), peers.get(node, {})),
                        suspects=tuple(blamed.get(node, ())),
                    )
                )
    count = len({node for each in screenings for node in each.screen.nodes})
    return [
        NodeHistory(
            node=node,
            nights=tuple(own),
            changes=tuple(sorted(_changes(own, count), key=lambda each: (each.started, each.run))),
        )
        for node, own in sorted(nights.items(), key=lambda each: _natural(each[0]))
    ]


def _figures(screen: Screen) -> dict[str, dict[str, float]]:
    """Return all figures of each node, without what is no time."""
    return {
        node: {
            name: seconds
            for kept in (screen.levels, screen.pair_levels)
            for name, seconds in kept.get(node, {}).items()
            if 0 < seconds < float("inf")
        }
        for node in screen.nodes
    }


def _ordered_times(
    figures: Mapping[str, Mapping[str, float]], nodes: Collection[str]
) -> dict[str, list[float]]:
    """Return the times of each figure on these nodes, the shortest first."""
    found: dict[str, list[float]] = {}
    for node in nodes:
        for name, seconds in figures.get(node, {}).items():
            found.setdefault(name, []).append(seconds)
    return {name: sorted(values) for name, values in found.items()}


def _medians_of_others(
    own: Mapping[str, float], ordered: Mapping[str, Sequence[float]]
) -> dict[str, float]:
    """Return the median of each figure on the peers of a node, itself left out."""
    found = {}
    for name, seconds in own.items():
        if name in ordered:
            at = bisect_left(ordered[name], seconds)
            if others := [*ordered[name][:at], *ordered[name][at + 1 :]]:
                found[name] = median(others)
    return found


def _changes(nights: Sequence[NodeNight], nodes: int) -> Iterator[Change]:
    """Yield where the figures of a node, of so many, or those of the others changed for good."""
    for figure in dict.fromkeys(name for night in nights for name in night.figures):
        having = [night for night in nights if figure in night.figures]
        seconds = [night.figures[figure] for night in having]
        if any(figure not in night.others for night in having):
            yield from _level_changes("time", figure, having, seconds, nodes, format_seconds)
            continue
        others = [night.others[figure] for night in having]
        ratios = [one / other for one, other in zip(seconds, others, strict=True)]
        yield from _level_changes("node", figure, having, ratios, nodes, precise_times)
        # The others of one node are those of any other one: a single series.
        yield from _level_changes(OTHERS, figure, having, others, 1, format_seconds)


def _level_changes(
    what: str,
    figure: str,
    nights: Sequence[NodeNight],
    values: Sequence[float],
    series: int,
    words: Callable[[float], str],
) -> Iterator[Change]:
    for position, before, after in level_changes(values, _CHANCE / max(1, series)):
        yield Change(
            curve=figure,
            run=nights[position].run,
            started=nights[position].started,
            what=what,
            before=words(before),
            after=words(after),
        )


def _natural(name: str) -> list[Any]:
    """Return what sorts names with numbers in them as people do.

    >>> sorted(["h10", "h9"], key=_natural)
    ['h9', 'h10']
    """
    parts = re.split("([0-9]+)", name)
    return [int(part[:18]) if at % 2 else part for at, part in enumerate(parts)]
