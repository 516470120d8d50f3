"""What programs learnt before, from which the next one starts."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path

from leadline.core import paths

# Files of jobs that start while others end stay there for a while.
_KEPT = 8


def learning(name: str, machine: Callable[[], str], profile: Path | None) -> dict[str, str]:
    """Return the variables for a program to learn, with the MPI of that `name`.

    It starts from the last file that was learnt on this machine, whose name `machine` returns,
    unless the `profile` is newer: a machine that was tuned again is another one. Older files go.
    """
    folder = paths.learnt() / name
    settings = {"LEADLINE_LEARN": str(folder)}
    # Their names begin with the time.
    files = sorted(folder.glob("*.toml"), reverse=True)
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


def _written(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0
