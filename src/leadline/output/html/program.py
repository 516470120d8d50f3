"""A program's time as one HTML file: owners by rank, who sends to whom, waits by place."""

from __future__ import annotations

import math
import shlex
from pathlib import Path
from typing import NamedTuple

from leadline.core.units import about_bytes, count
from leadline.explain.case import about_s
from leadline.explain.owners import RankTime
from leadline.explain.report import Explained
from leadline.output.html.document import document, write_document
from leadline.output.program_time import OWNERS, headline, lateness_text, pairs, places

# The length of the longest bar, and the side of the matrix, in the unit of the drawing.
_LONGEST, _SIDE = 600.0, 600.0
# More bars than these nobody reads: then those of the ranks that wait least and most are drawn.
_BARS = 64
# A matrix has at most so many cells to a side; of more ranks, neighbours share one.
_CELLS = 128


class _Part(NamedTuple):
    """A piece of a bar: the owner, the words for it, where it begins and how long it is."""

    owner: str
    title: str
    begin: float
    length: float


class _Cell(NamedTuple):
    """A cell of the matrix; `strength` from 0 to 1 is by the logarithm of the bytes."""

    x: float
    y: float
    strength: float
    title: str


def write_program(path: Path, found: Explained) -> None:
    """Write the page to `path`, all of it or nothing. Raises `UserError` where it cannot be."""
    shown = _shown(found)
    longest = max((rank.seconds for rank in shown), default=0.0)
    side, cells = _matrix(found)
    page = document(
        "program.html",
        "Where the time goes",
        ("theme.js",),
        styles=("program.css",),
        answer=headline(found),
        late=lateness_text(found),
        facts=_facts(found),
        owners=[(owner.field, owner.name) for owner in OWNERS],
        bars=[(rank.rank, list(_parts(rank, longest))) for rank in shown if longest],
        left_out=len(found.ranks) - len(shown),
        advice=found.advice,
        side=_SIDE,
        cell=side,
        cells=cells,
        tables=[places(found), *([pairs(found.sent)] if found.sent else [])],
        notes=found.notes,
        measure=found.measure,
    )
    write_document(path, page)


def _facts(found: Explained) -> list[tuple[str, str]]:
    said = [
        ("command", shlex.join(found.command)),
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
    ordered = sorted(found.ranks, key=lambda rank: rank.waiting_s)
    half = _BARS // 2
    return sorted((*ordered[:half], *ordered[-half:]), key=lambda rank: rank.rank)


def _parts(rank: RankTime, longest: float) -> list[_Part]:
    parts, begin = [], 0.0
    for owner in OWNERS:
        seconds = getattr(rank, owner.field)
        length = _LONGEST * seconds / longest
        if seconds > 0:
            title = f"{owner.name}: {about_s(seconds)}"
            parts.append(_Part(owner.field, title, round(begin, 2), round(length, 2)))
        begin += length
    return parts


def _matrix(found: Explained) -> tuple[float, list[_Cell]]:
    """Return the side of a cell, and the cells in which anything was sent."""
    ranks = max(found.ranks_total, 1)
    together = -(-ranks // _CELLS)
    side = _SIDE / -(-ranks // together)
    sums: dict[tuple[int, int], list[int]] = {}
    for each in found.sent:
        cell = sums.setdefault((each.rank // together, each.peer // together), [0, 0])
        cell[0] += each.messages
        cell[1] += each.bytes
    most = max((size for _, size in sums.values()), default=0)
    return round(side, 3), [
        _Cell(
            x=round(to * side, 2),
            y=round(sender * side, 2),
            strength=round(0.1 + 0.9 * math.log1p(size) / math.log1p(most), 3) if most else 0.1,
            title=f"{_names(sender, together)} to {_names(to, together)}: "
            f"{about_bytes(size)} in {count(messages, 'message')}",
        )
        for (sender, to), (messages, size) in sorted(sums.items())
    ]


def _names(place: int, together: int) -> str:
    first = place * together
    return str(first) if together == 1 else f"{first}-{first + together - 1}"
