"""Files that a killed MPI leaves behind, removed where they certainly are the launch's own.

Certain are Open MPI's session folders, which carry the launcher's process identifier, and
shared memory with a name that MPI libraries give it which is ours, newer than the launch, and
neither mapped nor open anywhere. Not removed is `hydra_hwloc_xmlfile_*` in the folder for
temporary files, a few KiB that a killed Hydra leaves: nothing in it tells whose it is.
"""

import contextlib
import fnmatch
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

_SHARED_MEMORY = Path("/dev/shm")
SEGMENTS = ("mpich_shm_*", "vader_segment.*", "sm_segment.*", "ucx_shm_posix_*")
_SESSIONS = ("ompi.{}", "ompi.*/pid.{}")


class Leftovers:
    """What a launch may leave. To be made before the launch."""

    def __init__(self, shared_memory: Path = _SHARED_MEMORY, temporary: Path | None = None) -> None:
        self._shared_memory = shared_memory
        self._temporary = temporary or Path(tempfile.gettempdir())
        self._before = set(_own_segments(shared_memory))

    def clear(self, launcher: int) -> None:
        """Remove what the launch left; `launcher` was its process, and none of it runs now."""
        for pattern in _SESSIONS:
            for folder in self._temporary.glob(pattern.format(launcher)):
                if folder.stat().st_uid == os.getuid():
                    shutil.rmtree(folder, ignore_errors=True)
        new = set(_own_segments(self._shared_memory)) - self._before
        for segment in new - _in_use(new):
            segment.unlink(missing_ok=True)


def _own_segments(folder: Path) -> Iterator[Path]:
    if not folder.is_dir():
        return
    with os.scandir(folder) as entries:
        for entry in entries:
            named = any(fnmatch.fnmatch(entry.name, pattern) for pattern in SEGMENTS)
            if named and _is_own(entry):
                yield Path(entry.path)


def _is_own(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.stat(follow_symlinks=False).st_uid == os.getuid()
    except OSError:  # gone since
        return False


def _in_use(segments: set[Path]) -> set[Path]:
    """Return those of `segments` that any process of this user maps or has open."""
    used: set[Path] = set()
    if not segments:
        return used
    for process in Path("/proc").glob("[0-9]*"):
        held = _read_maps(process) + "\n".join(_list_open_files(process))
        used |= {path for path in segments if str(path) in held}
    return used


def _read_maps(process: Path) -> str:
    try:
        return (process / "maps").read_text(errors="replace")
    except OSError:  # another user's, or gone
        return ""


def _list_open_files(process: Path) -> Iterator[str]:
    with contextlib.suppress(OSError):
        for descriptor in (process / "fd").iterdir():
            with contextlib.suppress(OSError):
                yield str(descriptor.readlink())
