"""When the program of a recording ended: a rank that was killed could not say so itself."""

import time
from contextlib import suppress
from pathlib import Path
from socket import gethostname

# Nanoseconds of CLOCK_MONOTONIC of the host that started the program, and the host's name.
_FILE = "ended"


def write_end(folder: Path) -> None:
    """Note that the program of the recording in `folder` has ended now, on this host.

    What a rank did last counts until then, where it was killed; where that cannot be written, until
    the last stamp of all.
    """
    now = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    with suppress(OSError):
        (folder / _FILE).write_text(f"{now} {gethostname()}")


def read_end(folder: Path, host: str) -> int | None:
    """Return when the program ended, in nanoseconds of the host's CLOCK_MONOTONIC.

    None where nobody noted it, or only by another host's clock.
    """
    try:
        when, noted_on = (folder / _FILE).read_text().split()
        return int(when) if noted_on == host else None
    except (OSError, ValueError):
        return None
