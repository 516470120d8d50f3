"""A program's time as one HTML file: owners by rank, who sends to whom, waits by place."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from leadline.core.units import about_bytes, count
from leadline.explain.case import about_s, percent_of
from leadline.explain.owners import RankTime, total
from leadline.explain.report import Explained
from leadline.output.html.document import document, write_document
from leadline.output.program_time import (
    Owner,
    bounded_text,
    change_text,
    factors_text,
    headline,
    lateness_text,
    owners_of,
    pairs,
    places,
    regions,
)

# The sides of the matrix and of a cell, at most, in the unit of the drawing: a pixel where there is
# room.
_SIDE, _CELL = 420.0, 72.0
# The length of the longest bar, in the unit of the drawing.
_LONGEST_BAR = 600.0
# More bars than these nobody reads: then those of the ranks that wait least and most are drawn.
_BARS = 64
# A matrix has at most so many cells to a side; of more ranks, neighbours share one.
_CELLS = 128
# Its sides have at most so many numbers, fewer where they are long.
_TICKS, _LONG_TICKS = 16, 10
_FAINTEST = 0.2


class _Piece(NamedTuple):
    """A piece of a bar: what it is of, the words for it, where it begins and how long it is."""

    kind: str
    title: str
    begin: float
    length: float


class _Bar(NamedTuple):
    """A bar: what it is of, its pieces, and the time of all of it."""

    name: str
    parts: list[_Piece]
    whole: str


class _Cell(NamedTuple):
    """A cell of the matrix; its `strength` is by the logarithm of the bytes."""

    x: float
    y: float
    strength: float
    title: str


class _Matrix(NamedTuple):
    """Who sends to whom, of side `side` in the unit of the drawing.

    `cells` are those in which anything was sent, each of `together` ranks in either direction and
    of side `cell`. `ticks` are positions with the ranks there.
    """

    side: float
    cell: float
    together: int
    cells: list[_Cell]
    ticks: list[tuple[float, str]]


def write_program(path: Path, found: Explained) -> None:
    """Write the page to `path`, all of it or nothing. Raises `UserError` where it cannot be."""
    write_document(path, render_program(found))


def render_program(found: Explained) -> str:
    """Return the page as HTML with everything it needs inside."""
    return document(
        "program.html",
        "Where the time goes",
        ("common.js", "sort.js"),
        styles=("program.css",),
        facts=_facts(found),
        shown=content(found),
    )


def content(found: Explained) -> dict[str, Any]:
    """Return what the body of the page shows (`program_body.html`)."""
    ranks = _shown(found)
    longest = max((rank.seconds for rank in ranks), default=0.0)
    owners, everything = owners_of(found), total(found.ranks)
    each = len(found.ranks)
    answer = headline(found)
    caption = "Times are those of an average rank, % is the part of the time of all ranks."
    if not found.waiting_known:
        caption += " Min, mean and max are those of a call."
    if any(site.at_least for site in found.sites):
        caption += " A > says that more of the time may be waiting."
    if any(site.is_rough for site in found.sites):
        caption += " A ~ says that of short calls some stood for the others."
    return {
        "answer": answer[:1].upper() + answer[1:],
        "late": lateness_text(found),
        "advice": found.advice,
        "owners": _legend(found, owners),
        "all": _parts(everything, owners, everything.seconds, each) if longest else [],
        "change": change_text(found),
        "slices": _slices(found),
        "slices_end": about_s(found.over_time.seconds) if found.over_time else "",
        "regions": regions(found) if found.regions else None,
        "bars": [
            _Bar(str(rank.rank), _parts(rank, owners, longest), about_s(rank.seconds))
            for rank in ranks
            if longest
        ],
        "longest": about_s(longest),
        "sorted_by": "waiting" if found.waiting_known else "time in MPI",
        "left_out": each - len(ranks),
        "matrix": _matrix(found),
        "pairs": pairs(found.sent) if found.sent else None,
        "no_matrix": "No message from one rank to another was seen."
        if found.waiting_known
        else "The profiler does not tell who sends to whom.",
        "places": places(found)._replace(caption=f"Calls by place and size. {caption}"),
        "notes": [*found.notes, *filter(None, [bounded_text(found)])],
        "measure": found.measure,
        "factors": factors_text(found.efficiency),
    }


def _slices(found: Explained) -> list[list[_Piece]]:
    """Return the columns of the run's picture, one for each slice: from its foot up."""
    over = found.over_time
    if over is None:
        return []
    waiting = over.waiting or (0.0,) * len(over.computing)
    columns = []
    for place, parts in enumerate(zip(over.computing, waiting, over.moving, strict=True)):
        begin, column = 0.0, []
        when = about_s(place * over.seconds / len(over.computing))
        named = (("computing_s", "computing"), ("waiting_s", "waiting"), ("transfer_s", "moving"))
        for (kind, name), part in zip(named, parts, strict=True):
            title = f"{name} {percent_of(part, 1)} of the time from {when} on"
            column.append(_Piece(kind, title, round(begin, 4), part))
            begin += part
        columns.append(column)
    return columns


def _legend(found: Explained, owners: Sequence[Owner]) -> list[dict[str, str]]:
    everything = total(found.ranks)
    return [
        {
            "field": field,
            "name": name,
            "seconds": about_s(seconds / len(found.ranks)),
            "percent": percent_of(seconds, everything.seconds),
        }
        for field, name, _, _ in owners
        for seconds in [getattr(everything, field)]
    ]


def _facts(found: Explained) -> list[tuple[str, str]]:
    said = [
        ("command", shlex.join(found.command)),
        ("job", found.job),
        ("ranks", str(len(found.ranks))),
        ("hosts", ", ".join(found.hosts) if len(found.hosts) < 5 else str(len(found.hosts))),
        ("MPI", found.mpi or found.library),
        ("wall time", about_s(found.seconds)),
        ("run", found.run),
    ]
    return [(name, value) for name, value in said if value]


def _shown(found: Explained) -> list[RankTime]:
    """Return the ranks whose bars are drawn: all, or those that wait least and most."""
    if len(found.ranks) <= _BARS:
        return list(found.ranks)
    ordered = sorted(
        found.ranks, key=lambda rank: rank.waiting_s if found.waiting_known else rank.mpi_s
    )
    half = _BARS // 2
    return sorted((*ordered[:half], *ordered[-half:]), key=lambda rank: rank.rank)


def _parts(of: RankTime, owners: Sequence[Owner], longest: float, ranks: int = 1) -> list[_Piece]:
    pieces, begin = [], 0.0
    for owner in owners:
        seconds = getattr(of, owner.field, 0.0)
        length = _LONGEST_BAR * seconds / longest
        if seconds > 0:
            title = f"{owner.name}: {about_s(seconds / ranks)}"
            pieces.append(_Piece(owner.field, title, round(begin, 2), round(length, 2)))
        begin += length
    return pieces


def _matrix(found: Explained) -> _Matrix:
    ranks = max(found.ranks_total, 1)
    together = -(-ranks // _CELLS)
    across = -(-ranks // together)
    side = min(_SIDE, _CELL * across)
    cell = side / across
    sums: dict[tuple[int, int], list[int]] = {}
    for each in found.sent:
        sent = sums.setdefault((each.rank // together, each.peer // together), [0, 0])
        sent[0] += each.messages
        sent[1] += each.bytes
    sizes = [size for _, size in sums.values()]
    least, most = min(sizes, default=0), max(sizes, default=0)
    step = -(-across // (_TICKS if ranks <= 100 else _LONG_TICKS))
    return _Matrix(
        side=side,
        cell=round(cell, 3),
        together=together,
        cells=[
            _Cell(
                x=round(to * cell, 2),
                y=round(sender * cell, 2),
                strength=_strength(size, least, most),
                title=f"{_names(sender, together)} to {_names(to, together)}: "
                f"{about_bytes(size)} in {count(messages, 'message')}",
            )
            for (sender, to), (messages, size) in sorted(sums.items())
        ],
        ticks=[(round((at + 0.5) * cell, 2), str(at * together)) for at in range(0, across, step)],
    )


def _strength(size: int, least: int, most: int) -> float:
    """Return how dark a cell is: from the faintest to 1, by the logarithm of its bytes.

    >>> _strength(8, 8, 800), _strength(800, 8, 800), _strength(8, 8, 8)
    (0.2, 1.0, 1.0)
    """
    if least == most:
        return 1.0
    part = math.log((1 + size) / (1 + least)) / math.log((1 + most) / (1 + least))
    return round(_FAINTEST + (1 - _FAINTEST) * part, 3)


def _names(place: int, together: int) -> str:
    first = place * together
    return str(first) if together == 1 else f"{first}-{first + together - 1}"
