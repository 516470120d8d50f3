"""What the pages of screened nodes show: verdicts, levels and nights in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from leadline.core.units import count, format_seconds, precise_times
from leadline.model.screen import Suspect
from leadline.output.server import node_chart
from leadline.output.server.responses import part
from leadline.output.server.screened import (
    OTHERS,
    NodeHistory,
    NodeNight,
    Screening,
    histories,
)
from leadline.output.server.trend import Change

# More rows of screenings are on no page.
_MOST = 200
# So many suspects are named in the answer.
_NAMED = 5


class SuspectRow(NamedTuple):
    """A suspect in words: what it is, what it shows, and what measuring it again showed."""

    name: str
    said: str
    again: str


class NodeRow(NamedTuple):
    """A line of the table of nodes, by the newest screening that has it."""

    node: str
    newest: NodeNight
    suspects: tuple[SuspectRow, ...]
    since: str
    changes: tuple[str, ...]
    nights: int


class FigureRow(NamedTuple):
    """A line of the table of a node's figures: the newest level and how it compares."""

    figure: str
    level: str
    others: str
    ratio: str
    is_suspected: bool
    changes: tuple[Change, ...]


class ScreeningRow(NamedTuple):
    """A line of the table of screenings."""

    run: str
    started: str
    nodes: int
    suspects: tuple[SuspectRow, ...]


def overview(screenings: Sequence[Screening]) -> dict[str, Any]:
    """Return what the page of all nodes shows: those that are suspected first."""
    found = histories(screenings)
    rows = [_node_row(each) for each in found]
    rows.sort(key=lambda row: (not row.suspects, -_worst(row.newest.suspects)))
    return {
        "nodes": rows,
        "answer": _answer(rows),
        "screenings": [
            ScreeningRow(
                each.screen.run,
                each.started,
                len(each.screen.nodes),
                tuple(map(suspect_row, each.screen.suspects)),
            )
            for each in reversed(screenings[-_MOST:])
        ],
    }


def shown(history: NodeHistory, figure: str) -> dict[str, Any]:
    """Return what the page of a node shows: one `figure` drawn, and all of them in words.

    Where it has no such figure, the one that is slowest against the other nodes is drawn.
    """
    rows = [_figure_row(history, name) for name in history.figures]
    rows.sort(key=lambda row: (not row.is_suspected, -_ratio(history, row.figure)))
    chosen = next((row.figure for row in rows if row.figure == figure), None)
    chosen = chosen or (rows[0].figure if rows else "")
    newest = history.nights[-1]
    suspects = [suspect_row(each) for each in newest.suspects]
    return {
        "node": history.node,
        "newest": newest,
        "suspects": suspects,
        "since": since(history.nights),
        "figures": rows,
        "drawn": chosen,
        "charts": node_chart.levels_over_nights(history, chosen, _address) if chosen else None,
        "change_words": change_words,
        "nights": [
            (night, tuple(map(suspect_row, night.suspects)))
            for night in reversed(history.nights[-_MOST:])
        ],
    }


def suspect_row(suspect: Suspect) -> SuspectRow:
    """Return a suspect in words."""
    name = f"{suspect.kind} {suspect.name}"
    if suspect.ratio is None:
        said = (
            f"hangs, its rank {suspect.reason}" if suspect.figure == "hang" else "does not answer"
        )
        return SuspectRow(name, said, "")
    again = suspect.again_ratios.get(suspect.figure)
    return SuspectRow(
        name,
        f"{suspect.figure} {precise_times(suspect.ratio)}, "
        f"probability {100 * suspect.probability:.1f} %",
        f"{precise_times(again)} in {count(suspect.again_rounds, 'round')}"
        if again is not None
        else "",
    )


def since(nights: Sequence[NodeNight]) -> str:
    """Return the run since which a node has been suspected in each screening, if it is now."""
    run = ""
    for night in reversed(nights):
        if not night.suspects:
            break
        run = night.run
    return run


def change_words(change: Change) -> str:
    """Return a change in words, without where it was."""
    whose = {"node": f"{change.curve} against the others", OTHERS: f"{change.curve} of the others"}
    return f"{whose.get(change.what, change.curve)} {change.before} became {change.after}"


def _answer(rows: Sequence[NodeRow]) -> str:
    """Return what is suspected now in one sentence."""
    slow = list(dict.fromkeys(each.name for row in rows for each in row.suspects))
    if not slow:
        return f"{count(len(rows), 'node')}, none suspected in its newest screening"
    more = f" and {len(slow) - _NAMED} more" if len(slow) > _NAMED else ""
    return f"suspected: {', '.join(slow[:_NAMED])}{more}, of {count(len(rows), 'node')}"


def _node_row(history: NodeHistory) -> NodeRow:
    newest = history.nights[-1]
    return NodeRow(
        history.node,
        newest,
        tuple(map(suspect_row, newest.suspects)),
        since(history.nights),
        tuple(change_words(each) for each in history.changes if each.what != OTHERS)[::-1],
        len(history.nights),
    )


def _figure_row(history: NodeHistory, figure: str) -> FigureRow:
    night = next(each for each in reversed(history.nights) if figure in each.figures)
    others = night.others.get(figure)
    return FigureRow(
        figure,
        format_seconds(night.figures[figure]),
        "" if others is None else format_seconds(others),
        "" if others is None else precise_times(night.figures[figure] / others),
        any(each.figure == figure for each in history.nights[-1].suspects),
        tuple(each for each in reversed(history.changes) if each.curve == figure),
    )


def _ratio(history: NodeHistory, figure: str) -> float:
    night = next(each for each in reversed(history.nights) if figure in each.figures)
    return night.figures[figure] / night.others.get(figure, night.figures[figure])


def _worst(suspects: Iterable[Suspect]) -> float:
    return max((each.ratio or float("inf") for each in suspects), default=0.0)


def _address(run: str) -> str:
    return f"/runs/{part(run)}"
