"""The disturbance: a process that computes on one processor, on and off by the clock."""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator

ON_S, OFF_S = 0.05, 0.05


@contextlib.contextmanager
def busy(processor: int) -> Iterator[None]:
    """Keep `processor` busy for 50 ms of every 100 ms while the block runs.

    The process ends with the block, and by itself where this one is killed.
    """
    child = subprocess.Popen(
        [sys.executable, __file__, str(processor), str(os.getpid())],
        stdin=subprocess.DEVNULL,
        # Ctrl-C is for the parent to hear, which then ends the child.
        start_new_session=True,
    )
    try:
        yield
    finally:
        child.kill()
        child.wait()


def compute(processor: int, parent: int) -> None:
    """Compute on and off on `processor` for as long as `parent` is the parent."""
    os.sched_setaffinity(0, {processor})
    while os.getppid() == parent:
        phase = time.monotonic() % (ON_S + OFF_S)
        if phase >= ON_S:
            time.sleep(ON_S + OFF_S - phase)


if __name__ == "__main__":
    compute(int(sys.argv[1]), int(sys.argv[2]))
