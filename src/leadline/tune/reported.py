"""The sizes that a program uses, from the report that `leadline exec` wrote of it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from leadline.core.errors import UserError

# With more sizes a tuning has little time for each.
_MOST = 8


class _Calls(msgspec.Struct, frozen=True):
    """The calls of a row: what is needed of it."""

    calls: int
    bytes: int
    seconds: float
    from_bytes: int | None = None


class _Report(msgspec.Struct, frozen=True):
    format: int
    calls: tuple[_Calls, ...]


def sizes_of(path: Path) -> list[int]:
    """Return the mean sizes in bytes of the classes of sizes that took the most time, ascending.

    Raises `UserError` for what is no report as JSON, or one without a size.
    """
    try:
        report = msgspec.json.decode(path.read_bytes(), type=_Report)
    except OSError as error:
        raise UserError(
            f"--report {path}: {error.strerror}: write it with `LEADLINE_REPORT={path.name} "
            "leadline exec ...`"
        ) from error
    except msgspec.DecodeError as error:
        raise UserError(
            f"--report {path} is no report as JSON ({error}): write it with "
            "`LEADLINE_REPORT=FILE.json leadline exec ...`"
        ) from error
    classes: dict[int, list[_Calls]] = {}
    for row in report.calls:
        if row.from_bytes and row.calls and row.bytes:
            classes.setdefault(row.from_bytes, []).append(row)
    if not classes:
        raise UserError(f"--report {path} has no call that moves data: give sizes with --bytes")
    costly = sorted(classes.values(), key=lambda rows: -sum(each.seconds for each in rows))[:_MOST]
    return sorted(
        {
            max(1, sum(each.bytes for each in rows) // sum(each.calls for each in rows))
            for rows in costly
        }
    )
