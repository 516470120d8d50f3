"""The regions and the jobs of a machine at one moment as one HTML file."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from leadline.model.jobs import CoresByKind, Region
from leadline.output.html.document import document, write_document
from leadline.output.table import Table

# The length of the longest bar, in the unit of the drawing.
_LONGEST = 600.0


class _Part(NamedTuple):
    """A piece of a bar: so many cores of a kind, and where it begins and how long it is."""

    kind: str
    cores: int
    begin: float
    length: float


def write_queue(
    path: Path,
    facts: Sequence[tuple[str, str]],
    regions: Sequence[Region],
    tables: Sequence[Table],
) -> None:
    """Write the page to `path`, all of it or nothing. Raises `UserError` where it cannot be."""
    most = max((sum(_counts(each.cores).values()) for each in regions), default=0)
    page = document(
        "queue.html",
        "Who runs where",
        ("theme.js",),
        styles=("queue.css",),
        facts=facts,
        kinds=CoresByKind.__struct_fields__,
        bars=[(each.name, list(_parts(each.cores, most))) for each in regions if most],
        tables=tables,
    )
    write_document(path, page)


def _parts(cores: CoresByKind, most: int) -> list[_Part]:
    found, begin = [], 0.0
    for kind, count in _counts(cores).items():
        length = _LONGEST * count / most
        if count:
            found.append(_Part(kind, count, round(begin, 2), round(length, 2)))
        begin += length
    return found


def _counts(cores: CoresByKind) -> dict[str, int]:
    return msgspec.structs.asdict(cores)
