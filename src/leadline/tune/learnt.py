"""What programs learnt while they ran: files of the runtime, from which the next one starts."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path

from leadline.core import paths
from leadline.tune.prior import table_of

# Files of jobs that start while others end stay there for a while.
_KEPT = 8


def learning(
    name: str, family: str, machine: Callable[[], str], profile: Path | None
) -> dict[str, str]:
    """Return the variables for a program to learn, with the MPI of that `name` and `family`.

    It starts from the last file that was learnt on this machine, whose name `machine` returns,
    unless the `profile` is newer: a machine that was tuned again is another one. Older files go.
    """
    folder = paths.learnt() / name
    settings = {"LEADLINE_LEARN": str(folder)}
    if table := table_of(family):
        settings["LEADLINE_PRIOR"] = str(table)
    files = _files(folder)
    for old in files[_KEPT:]:
        old.unlink(missing_ok=True)
    last = _last(files[:_KEPT], machine()) if files else None
    if last and not (profile and _written(profile) > _written(last)):
        settings["LEADLINE_LEARNT"] = str(last)
    return settings


def _last(files: Sequence[Path], machine: str) -> Path | None:
    for file in files:
        try:
            if tomllib.loads(file.read_text()).get("machine") == machine:
                return file
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
            continue
    return None


def _files(folder: Path) -> list[Path]:
    """Return the files, the last one first: their names begin with the time."""
    return sorted(folder.glob("*.toml"), reverse=True)


def _written(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0
