"""How busy the machine is, from /proc/loadavg and two readings of /proc/stat."""

import os
import time
from dataclasses import dataclass, replace

from leadline.core.errors import UserError
from leadline.site.hardware.files import Files

_SAMPLE_S = 0.045


@dataclass(frozen=True)
class Counters:
    """Sums over all processors since the machine started, in clock ticks, and a time in s."""

    busy: int
    idle: int
    stolen: int
    context_switches: int
    running: int
    time_s: float

    @property
    def total(self) -> int:
        """Ticks of all kinds."""
        return self.busy + self.idle + self.stolen


def read_counters(files: Files) -> Counters:
    """Return the kernel's counters as they are now.

    Raises `UserError` where /proc/stat cannot be read.
    """
    rows = {
        words[0]: words[1:]
        for line in (files.text("/proc/stat") or "").splitlines()
        if (words := line.split())
    }
    if "cpu" not in rows:
        raise UserError("/proc/stat cannot be read: mount /proc to see how busy the machine is")
    user, nice, system, idle, waiting, irq, softirq, stolen = map(int, rows["cpu"][:8])
    return Counters(
        busy=user + nice + system + irq + softirq,
        idle=idle + waiting,
        stolen=stolen,
        context_switches=int(rows.get("ctxt", ["0"])[0]),
        running=int(rows.get("procs_running", ["0"])[0]),
        time_s=time.monotonic(),
    )


def rates(before: Counters, after: Counters) -> dict[str, float]:
    """Return what happened between two readings.

    `busy_fraction` and `stolen_fraction` are shares of all processors' time, 0 to 1.
    """
    ticks = max(after.total - before.total, 1)
    seconds = max(after.time_s - before.time_s, 1e-9)
    return {
        "busy_fraction": (after.busy - before.busy) / ticks,
        "stolen_fraction": (after.stolen - before.stolen) / ticks,
        "context_switches_per_s": (after.context_switches - before.context_switches) / seconds,
        "sample_s": seconds,
    }


def queue(files: Files | None = None) -> dict[str, float]:
    """Return how many want to run, without taking time.

    Keys: `load_1_min`, `load_5_min`, `load_15_min` and `running_processes`, this one left out.
    """
    files = files or Files()
    averages = (files.text("/proc/loadavg") or "").split()[:3]
    names = ("load_1_min", "load_5_min", "load_15_min")
    return {
        **{name: float(value) for name, value in zip(names, averages, strict=False)},
        "running_processes": float(max(read_counters(files).running - 1, 0)),
    }


def load(files: Files | None = None) -> dict[str, float]:
    """Return how busy the machine is, from a sample of under 50 ms: `queue` and `rates`.

    The kernel counts in ticks of 10 ms, so on few processors the fractions are coarse: one tick
    is 0.11 of two processors' sample.
    """
    files = files or Files()
    before = read_counters(files)
    time.sleep(_SAMPLE_S)
    return {**queue(files), **rates(before, read_counters(files))}


class OtherLoad:
    """The load by everyone but this process and its children, from now on."""

    def __init__(self, files: Files | None = None) -> None:
        self._files = files or Files()
        self._before = read_counters(self._files)
        self._process_s = _process_seconds()

    def rates(self) -> dict[str, float]:
        """Return the rates since the beginning, with this process's own share left out.

        Its children are left out once they have been waited for.
        """
        after = read_counters(self._files)
        process_ticks = int((_process_seconds() - self._process_s) * os.sysconf("SC_CLK_TCK"))
        busy = max(after.busy - process_ticks, self._before.busy)
        idle = after.idle + (after.busy - busy)
        return rates(self._before, replace(after, busy=busy, idle=idle))


def _process_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
