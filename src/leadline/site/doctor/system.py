"""The machine as the checks see it; a test makes up another one."""

import itertools
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from leadline.site.hardware.activity import rates, read_counters
from leadline.site.hardware.files import Files
from leadline.site.hardware.inventory import SharedMemory, shared_memory
from leadline.site.processes import CpuShares, Process, user_name

_PATIENCE_S = 5

# The child reads its parent: like a rank that reads another one, it is not the other's ancestor,
# which is what the yama security module asks for.
_CHILD = """
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
if not hasattr(libc, "process_vm_readv"):
    sys.exit(38)
pid, address, size = map(int, sys.argv[1:])
copy = ctypes.create_string_buffer(size)
class Piece(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
here, there = Piece(ctypes.addressof(copy), size), Piece(address, size)
unsigned = ctypes.c_ulong
got = libc.process_vm_readv(
    pid, ctypes.byref(here), unsigned(1), ctypes.byref(there), unsigned(1), unsigned(0)
)
if got != size:
    sys.exit(ctypes.get_errno() or 5)
sys.stdout.buffer.write(copy.raw)
"""


def error_of_reading_a_neighbour() -> int:
    """Return the error number of process_vm_readv between two processes, 0 where it works.

    Raises `OSError` where what was read is not what was there.
    """
    import ctypes

    secret = os.urandom(32)
    buffer = ctypes.create_string_buffer(secret, len(secret))
    place = (os.getpid(), ctypes.addressof(buffer), len(secret))
    child = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _CHILD, *map(str, place)],
        capture_output=True,
        timeout=_PATIENCE_S,
    )
    if child.returncode == 0 and child.stdout != secret:
        raise OSError("process_vm_readv succeeded but returned other bytes than were there")
    return abs(child.returncode)


_INTERVAL_S = 0.2


@dataclass(frozen=True)
class Interval:
    """What happened in a short while: the keys of `machine.activity.rates`, and the processes."""

    rates: dict[str, float]
    processes: tuple[Process, ...]


def observe(files: Files) -> Callable[[], Interval]:
    """Begin to look at the machine; what is returned tells what it did, after 0.2 s or more."""
    shares, before = CpuShares(), read_counters(files)

    def end() -> Interval:
        time.sleep(max(0.0, _INTERVAL_S - (time.monotonic() - before.time_s)))
        after = read_counters(files)
        return Interval(rates(before, after), shares.end())

    return end


def clock_read_s() -> float:
    """Return the median time of one reading of the clock in seconds, Python's call included."""
    readings = [time.clock_gettime_ns(time.CLOCK_MONOTONIC) for _ in range(1001)]
    steps = sorted(later - earlier for earlier, later in itertools.pairwise(readings))
    return steps[len(steps) // 2] * 1e-9


@dataclass(frozen=True)
class System:
    """Everything that a check may look at.

    `read_neighbour` tries process_vm_readv for real and returns the error number, 0 for success.
    `clock_read_s` returns None where the clock cannot be read, since it is another machine's.
    """

    files: Files = field(default_factory=Files)
    user: str = field(default_factory=lambda: user_name(os.getuid()))
    environment: dict[str, str] = field(default_factory=lambda: dict(os.environ))
    shared_memory: Callable[[], SharedMemory | None] = shared_memory
    read_neighbour: Callable[[], int] = error_of_reading_a_neighbour
    clock_read_s: Callable[[], float | None] = clock_read_s
    observe: Callable[[Files], Callable[[], Interval]] = observe

    @cached_property
    def look(self) -> Callable[[], Interval]:
        """A look at the machine, which begins when it is first asked for."""
        return self.observe(self.files)

    @cached_property
    def interval(self) -> Interval:
        """One short while of the machine, which all checks share."""
        return self.look()
