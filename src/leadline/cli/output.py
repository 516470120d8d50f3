"""Where a command writes what was asked for."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from leadline.core.errors import UserError
from leadline.store.disk import replacing, writing


def write(output: str | None, writer: Callable[[BinaryIO], object]) -> None:
    """Let `writer` write to the file `output`, whole or not at all.

    None and `-` are standard output. A pipe or a device is written to, never replaced. Raises
    `UserError` where that fails.
    """
    if output in (None, "-"):
        with writing(Path("standard output")):
            writer(sys.stdout.buffer)
            sys.stdout.buffer.flush()
        return
    path = Path(output)
    if path.exists() and not path.is_file():
        with writing(path), path.open("wb") as stream:
            writer(stream)
    else:
        with replacing(path) as partial, partial.open("wb") as stream:
            writer(stream)


def check_writable(path: Path | None) -> None:
    """Raise `UserError` where the file cannot be written; None always can. No file is made."""
    if path is None:
        return
    new = not path.exists()
    try:
        with path.open("a"):
            pass
        if new:
            path.unlink()
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}: choose another file") from error
