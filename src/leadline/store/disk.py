"""Writing that leaves the old file or the new one, and says in one line why it could not."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from leadline.core.errors import UserError


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an error of the file system or of DuckDB inside the block into a `UserError` on `path`.

    A reader who closed the pipe is no error of ours and passes.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except Exception as error:
        if not _is_of_file_system(error):
            raise
        reason = getattr(error, "strerror", None) or _operating_system_words(str(error))
        full = re.search(r"space|quota|too large", reason, re.IGNORECASE)
        advice = "free some space" if full else "make it writable"
        raise UserError(
            f"cannot write {path}: {reason}: {advice} or choose another folder"
        ) from error


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path beside `path` that takes its place when the block succeeds.

    The data is on the disk before: a crash leaves a whole file, old or new.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with writing(path):
            yield partial
            _flush(partial)
            partial.replace(path)
            _flush(path.parent)
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _is_of_file_system(error: Exception) -> bool:
    duckdb = sys.modules.get("duckdb")  # who has not imported it has no error of it
    return isinstance(error, OSError) or bool(duckdb and isinstance(error, duckdb.IOException))


def _operating_system_words(message: str) -> str:
    first = message.splitlines()[0].removeprefix("IO Error: ")
    match = re.search(r": (?P<words>[A-Z][a-z ]+)$", first)
    return match["words"] if match else first
