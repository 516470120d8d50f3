"""Who writes to a run folder: known even after the writer was killed.

The kernel lets go of a file lock when its holder dies, however it dies.
"""

import fcntl
import os
from contextlib import suppress
from pathlib import Path

_FILE = "lock"


class Lock:
    """Held by the leadline that measures a run, from the folder's making to its end.

    A file system without locks gives none; a run on it that is read while it is measured then
    looks as if its leadline had been killed.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / _FILE
        self._stream = self._path.open("w")
        with suppress(OSError):
            fcntl.flock(self._stream, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def release(self) -> None:
        """Let go; the lock's file goes too."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
        self._stream.close()


def is_locked(folder: Path) -> bool:
    """Return whether a process that lives holds the folder's lock."""
    try:
        descriptor = os.open(folder / _FILE, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return False
