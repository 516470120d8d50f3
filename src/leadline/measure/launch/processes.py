"""What one launch started and left: its processes, found wherever they went, and its files.

Ranks leave their launcher's process group and session, and outlive it when it is killed. So
they are recognised in several ways: by the session, by a variable in their environment, as
descendants of any of these, and as orphans that the kernel hands to leadline, their subreaper.

Files are removed where they certainly are the launch's own: Open MPI's session folders, which
carry the launcher's process identifier, and shared memory with a name that MPI libraries give it
which is ours, newer than the launch, and neither mapped nor open anywhere. Not removed is
`hydra_hwloc_xmlfile_*` in the folder for temporary files, a few KiB that a killed Hydra leaves:
nothing in it tells whose it is.
"""

import contextlib
import ctypes
import fnmatch
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from leadline.site.hardware.files import Files
from leadline.site.processes import TAG, ProcessStat, descendants, environment_has, processes

_POLL_SECONDS = 0.02
_KILL_SECONDS = 5.0
_PR_SET_CHILD_SUBREAPER = 36
_PR_GET_CHILD_SUBREAPER = 37
_SHARED_MEMORY = Path("/dev/shm")
SEGMENTS = ("mpich_shm_*", "vader_segment.*", "sm_segment.*", "ucx_shm_posix_*")
_SESSIONS = ("ompi.{}", "ompi.*/pid.{}")


@contextlib.contextmanager
def subreaper() -> Iterator[None]:
    """Make leadline the parent of orphans among its descendants while the block runs."""
    libc = ctypes.CDLL(None)
    before = ctypes.c_int()
    libc.prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(before), 0, 0, 0)
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        libc.prctl(_PR_SET_CHILD_SUBREAPER, before.value, 0, 0, 0)


def own_children() -> set[int]:
    """Return the identifiers of the processes whose parent leadline is."""
    own = os.getpid()
    return {process.pid for process in processes(Files()) if process.parent == own}


class ProcessTree:
    """The processes that a launcher, itself leader of a session, started on this machine.

    `unrelated` are the children that leadline had before: orphans come to it quickly.
    """

    def __init__(self, launcher: int, tag: str, unrelated: set[int]) -> None:
        self._launcher = launcher
        self._unrelated = unrelated
        self._mark = f"{TAG}={tag}"
        self._own = os.getpid()
        self._own_session = os.getsid(0)

    def alive(self) -> set[int]:
        """Return the identifiers of those that run, the launcher's among them."""
        table = {process.pid: process for process in processes(Files())}
        members = descendants(table, (pid for pid, one in table.items() if self._belongs(one)))
        self._reap(table[pid] for pid in members)
        return {pid for pid in members if not table[pid].ended}

    def end(self, grace_seconds: float) -> set[int]:
        """End them all and return those that even the kernel could not end, normally none.

        A launcher that still runs is asked first and alone, since it takes back its ranks, remote
        ones too; it has `grace_seconds`. What is left has a quarter of that to go by itself,
        another quarter when asked, and is killed at last.
        """
        if self._launcher in self.alive():
            _send(signal.SIGTERM, {self._launcher})
            self._wait_until_gone(grace_seconds)
        if remaining := self._wait_until_gone(grace_seconds / 4):
            _send(signal.SIGTERM, remaining)
            remaining = self._wait_until_gone(grace_seconds / 4)
        deadline = time.monotonic() + _KILL_SECONDS
        while remaining and time.monotonic() < deadline:
            _send(signal.SIGKILL, remaining)
            remaining = self._wait_until_gone(_POLL_SECONDS)
        return remaining

    def _wait_until_gone(self, seconds: float) -> set[int]:
        deadline = time.monotonic() + seconds
        while (remaining := self.alive()) and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
        return remaining

    def _belongs(self, process: ProcessStat) -> bool:
        adopted = (
            process.parent == self._own
            and process.session != self._own_session
            and process.pid not in self._unrelated
        )
        return (
            process.session == self._launcher
            or adopted
            or environment_has(Files(), process.pid, self._mark)
        )

    def _reap(self, members: Iterable[ProcessStat]) -> None:
        for process in members:
            # The launcher's status belongs to whoever started it.
            if process.parent == self._own and process.pid != self._launcher:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(process.pid, os.WNOHANG)


def _send(number: signal.Signals, pids: Iterable[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


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
    with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
        for entry in entries:
            if any(fnmatch.fnmatch(entry.name, pattern) for pattern in SEGMENTS):
                with contextlib.suppress(OSError):  # gone since
                    if entry.stat(follow_symlinks=False).st_uid == os.getuid():
                        yield Path(entry.path)


def _in_use(segments: set[Path]) -> set[Path]:
    """Return those of `segments` that any process of this user maps or has open."""
    used: set[Path] = set()
    for process in Path("/proc").glob("[0-9]*") if segments else ():
        held = []
        with contextlib.suppress(OSError):  # another user's, or gone
            held.append((process / "maps").read_text(errors="replace"))
        with contextlib.suppress(OSError):
            for descriptor in (process / "fd").iterdir():
                with contextlib.suppress(OSError):
                    held.append(str(descriptor.readlink()))
        used |= {path for path in segments if str(path) in "\n".join(held)}
    return used
