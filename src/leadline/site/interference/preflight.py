"""A short look at who else uses this machine, just before it is measured."""

import os
import time
from collections.abc import Callable
from typing import NamedTuple

from leadline.site.hardware.files import Files
from leadline.site.processes import (
    KERNEL,
    ProcessStat,
    descendants,
    environment_has,
    new_ticks,
    processes,
    ticks_per_second,
    user_of,
)

# The kernel counts processor time in ticks of 10 ms: 15 of them.
_SAMPLE_S = 0.15
_NOTICEABLE_CORES = 0.1


class OtherProgram(NamedTuple):
    """A process of somebody else; `cores` is its processor time over time: 1 is a whole core."""

    command: str
    pid: int
    user: str
    cores: float


class BusyLook:
    """A look at who uses the machine, from its making to `end`: what is done meanwhile is free."""

    def __init__(
        self, files: Files | None = None, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._files, self._sleep = files or Files(), sleep
        self._before = {process.pid: process for process in processes(self._files)}
        self._began = time.monotonic()

    def end(self, network: str = "") -> list[OtherProgram]:
        """Return the programs that used a tenth of a core or more, the busiest first.

        The kernel's threads, this process, what it started and what started it are left out, and
        programs that have the variable `network`, as `NAME=VALUE`. The look takes 0.15 s or more.
        """
        self._sleep(max(0.0, _SAMPLE_S - (time.monotonic() - self._began)))
        seconds = max(time.monotonic() - self._began, _SAMPLE_S)
        files, before = self._files, self._before
        now = {process.pid: process for process in processes(files)}
        newest = max((process.start for process in before.values()), default=0)
        related = descendants(now, [os.getpid()]) | _ancestors(now, os.getpid())
        found = []
        for process in now.values():
            ticks = new_ticks(process, before.get(process.pid), newest)
            cores = ticks / ticks_per_second() / seconds
            if (
                cores >= _NOTICEABLE_CORES
                and process.pid not in related
                and KERNEL not in (process.pid, process.parent)
                and not (network and environment_has(files, process.pid, network))
            ):
                user = user_of(files, process.pid)
                found.append(OtherProgram(process.command, process.pid, user, cores))
        return sorted(found, key=lambda program: -program.cores)


def _ancestors(table: dict[int, ProcessStat], pid: int) -> set[int]:
    found: set[int] = set()
    while pid in table and pid not in found:
        found.add(pid)
        pid = table[pid].parent
    return found
