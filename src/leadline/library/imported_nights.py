"""Outputs of other programs as nights: the files of one day are one night."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from leadline.analysis.compare.history import Dated
from leadline.core.errors import UserError
from leadline.exchange.imports.collect import import_files

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def imported_nights(patterns: Sequence[str], mpi: str = "") -> list[Dated]:
    """Return the figures of the files that the patterns mean, by day, the oldest first.

    The day is that in the file, where it says one, else that of the file's time. Files of one day
    that have a figure in common are launches of it. Raises `UserError` where there are none.
    """
    asked = [Path(pattern) for pattern in patterns]
    paths = sorted({found for each in asked for found in each.parent.glob(each.name)})
    if not paths:
        raise UserError(f"no file is called {', '.join(patterns)}: name outputs of OSU, IMB, ...")
    days: dict[str, list[Path]] = {}
    for path in paths:
        days.setdefault(_day(path), []).append(path)
    nights = []
    for day in sorted(days):
        imported = import_files(days[day], mpi=mpi).imported
        assert imported
        nights.append(Dated(day, imported.figures))
    return nights


def _day(path: Path) -> str:
    imported = import_files([path]).imported
    found = _DAY.search(imported.when if imported else "")
    if found:
        return found[0]
    return datetime.fromtimestamp(path.stat().st_mtime).astimezone().date().isoformat()
