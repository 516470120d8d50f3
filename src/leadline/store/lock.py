"""Who writes to a run folder: known even after the writer was killed.

The kernel lets go of a file lock when its holder dies, however it dies. The file says who holds
it, for file systems that have no locks, or none that other hosts see.
"""

import fcntl
import os
import platform
from contextlib import suppress
from pathlib import Path

import msgspec

FILE = "lock"


class _Process(msgspec.Struct, frozen=True, kw_only=True):
    """A process for good: `start` tells it from others of its number, `boot` and `namespace` where
    the number counts. `locked` is whether the file system gave it the lock.
    """

    host: str
    boot: str
    namespace: str
    pid: int
    start: int
    locked: bool


class Writer(msgspec.Struct, frozen=True, kw_only=True):
    """The leadline that writes to a folder.

    `certain` is false where only its host can tell whether it lives. An earlier leadline did not
    leave `host` and `pid`.
    """

    certain: bool
    host: str = ""
    pid: int = 0


class Lock:
    """Held by the leadline that measures a run, from the folder's making to its end."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._stream = self._path.open("wb")
        locked = False
        with suppress(OSError):
            fcntl.flock(self._stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            locked = True
        with suppress(OSError):  # a disk without room for it; the lock says as much here
            self._stream.write(msgspec.json.encode(_describe_this_process(locked)))
            self._stream.flush()

    def release(self) -> None:
        """Let go; the lock's file goes too."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
        with suppress(OSError):
            self._stream.close()


def find_writer(folder: Path) -> Writer | None:
    """Return who writes to the folder; None where nobody does."""
    try:
        descriptor = os.open(folder / FILE, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return None
    locked, process = False, None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        locked = True
    except OSError:
        pass
    with suppress(OSError, msgspec.DecodeError):
        process = msgspec.json.decode(os.read(descriptor, 4096), type=_Process)
    os.close(descriptor)
    if process is None:
        return Writer(certain=True) if locked else None
    lives = True if locked else _find_alive(process)
    if lives is False:
        return None
    return Writer(certain=lives is True, host=process.host, pid=process.pid)


def _find_alive(process: _Process) -> bool | None:
    """Tell whether a process lives that holds no lock which is seen here; None for not known."""
    here = _describe_this_process(locked=False)
    if process.boot != here.boot:
        # Of the same name: the machine was started again since.
        return False if process.host == here.host else None
    if process.locked:
        return False
    return _start_of(process.pid) == process.start if process.namespace == here.namespace else None


def _describe_this_process(locked: bool) -> _Process:
    namespace = ""
    with suppress(OSError):
        namespace = str(Path("/proc/self/ns/pid").readlink())
    return _Process(
        host=platform.node(),
        boot=_text("/proc/sys/kernel/random/boot_id"),
        namespace=namespace,
        pid=os.getpid(),
        start=_start_of(os.getpid()),
        locked=locked,
    )


def _start_of(pid: int) -> int:
    """Return when a process started, in ticks since the machine came up; 0 where there is none."""
    fields = _text(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return int(fields[19]) if len(fields) > 19 and fields[0] not in ("Z", "X") else 0


def _text(path: str) -> str:
    try:
        return Path(path).read_text(errors="replace").strip()
    except OSError:
        return ""
