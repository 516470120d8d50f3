"""Whether a run folder is one that can be read without harm: it may be anybody's work."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from leadline.core.errors import UserError
from leadline.store.folder import PARQUET, RECORDING, RUN_FILE
from leadline.store.history import SCREEN_FILE

if TYPE_CHECKING:
    import duckdb

_READ = (RUN_FILE, PARQUET, "lock", "launches", RECORDING, SCREEN_FILE)
_RUN_FILE_BYTES = 64 * 2**20
_FOLDER_BYTES = 2 * 2**30
_ENTRIES = 200_000
_ROWS = 20_000_000
_POINTS = 1_000_000


def inspect(folder: Path) -> None:
    """Raise `UserError` where reading the run could hang, leave the folder, or fill the memory."""
    if set("*?[]") & set(folder.name):
        raise UserError("its name holds a sign that stands for others in names: rename the folder")
    total = 0
    for count, (path, status) in enumerate(_read_entries(folder)):
        name = path.relative_to(folder)
        if stat.S_ISLNK(status.st_mode):
            raise UserError(f"{name} is a link, which is not followed here: put the file itself")
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
            raise UserError(f"{name} is neither a file nor a folder: remove it")
        if str(name) in (RUN_FILE, SCREEN_FILE) and status.st_size > _RUN_FILE_BYTES:
            raise UserError(
                f"{name} has {status.st_size / 1e6:.0f} MB, more than "
                f"{_RUN_FILE_BYTES / 1e6:.0f} are not read here: try `leadline show`"
            )
        total += status.st_size
        if total > _FOLDER_BYTES or count > _ENTRIES:
            raise UserError("the folder is too large to be read here: try `leadline show`")


def inspect_samples(table: Path, connection: duckdb.DuckDBPyConnection) -> None:
    """Raise `UserError` where the table of samples has too many rows or points to be read here."""
    from leadline.store.parquet import quoted, reading

    if not table.exists():
        return
    name = quoted(table)
    with reading(table):
        cursor = connection.cursor()
        rows = _number(cursor, f"sum(num_rows) FROM parquet_file_metadata({name})")
        if rows > _ROWS:
            raise UserError(f"{rows} samples are too many to be read here: try `leadline show`")
        points = _number(cursor, f"max(point) - min(point) FROM read_parquet({name})")
    if points > _POINTS:
        raise UserError(f"points are {points} apart in the table of samples: it is not leadline's")


def _number(cursor: duckdb.DuckDBPyConnection, selected: str) -> int:
    found = cursor.execute(f"SELECT {selected}").fetchone()
    return found[0] or 0 if found else 0


def _read_entries(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    waiting = [folder / name for name in _READ]
    while waiting:
        path = waiting.pop()
        try:
            status = path.lstat()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise UserError(f"{path.name} cannot be read: {error.strerror}") from error
        yield path, status
        if stat.S_ISDIR(status.st_mode):
            try:
                waiting += [Path(entry) for entry in os.scandir(path)]
            except OSError as error:
                raise UserError(f"{path.name} cannot be read: {error.strerror}") from error
