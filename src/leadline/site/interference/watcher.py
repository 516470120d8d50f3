"""The watcher of interference on this machine: looks now and then, sums up at once."""

import os
import platform
import time
from collections.abc import Callable
from typing import NamedTuple

from leadline.model.interference import Interference, InterferingProgram, Link
from leadline.site.hardware.activity import OtherLoad, queue
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

# InfiniBand counts data in words of four bytes (its Architecture Specification, PortCounters).
_WORD_BYTES = 4
_PORT_ERRORS = (
    "symbol_error",
    "link_error_recovery",
    "link_downed",
    "port_rcv_errors",
    "local_link_integrity_errors",
    "excessive_buffer_overrun_errors",
)


class Counted(NamedTuple):
    """What a link has counted since it came up, or in a while: bytes and packets."""

    received_bytes: int
    sent_bytes: int
    errors: int
    dropped: int

    def since(self, before: "Counted") -> "Counted | None":
        """Return what was counted since `before`; None where the counters began again."""
        found = Counted(*(now - then for now, then in zip(self, before, strict=True)))
        return found if min(found) >= 0 else None


def link_counters(files: Files) -> dict[str, Counted]:
    """Return the counters of every link that shows them, by name: `eth0`, `mlx5_0/1`."""
    return {**_interfaces(files), **_ports(files)}


def _interfaces(files: Files) -> dict[str, Counted]:
    folder = "/sys/class/net"
    found = {}
    for name in files.names(folder):
        at = f"{folder}/{name}/statistics"
        received, sent = (files.number(f"{at}/{way}_bytes") for way in ("rx", "tx"))
        if received is not None and sent is not None:
            errors, dropped = (
                sum(files.number(f"{at}/{way}_{what}") or 0 for way in ("rx", "tx"))
                for what in ("errors", "dropped")
            )
            found[name] = Counted(received, sent, errors, dropped)
    return found


def _ports(files: Files) -> dict[str, Counted]:
    folder = "/sys/class/infiniband"
    found = {}
    for device in files.names(folder):
        for port in files.names(f"{folder}/{device}/ports"):
            at = f"{folder}/{device}/ports/{port}/counters"
            received, sent = (files.number(f"{at}/port_{way}_data") for way in ("rcv", "xmit"))
            if received is not None and sent is not None:
                found[f"{device}/{port}"] = Counted(
                    _WORD_BYTES * received,
                    _WORD_BYTES * sent,
                    sum(files.number(f"{at}/{name}") or 0 for name in _PORT_ERRORS),
                    files.number(f"{at}/port_xmit_discards") or 0,
                )
    return found


# Ranks that are nobody's children are seen while they run: soon, then ever more rarely.
_FIRST_LOOK_S, _LAST_LOOK_S = 0.5, 5.0
# A look takes a core for a moment. It may take this part of the time, so that fewer samples than
# any quantile that is shown lets through meet one.
_LOOKING_FRACTION = 1e-3

# Less processor time than this fraction of one core is the system's own housekeeping.
_MATTERS_CORES = 0.02
_MOST_PROGRAMS, _MOST_KEPT, _MOST_LINKS = 8, 256, 8
# What links carry by themselves: time, names, neighbours' calls.
_LEAST_LINK_BYTES = 100_000


class InterferenceWatcher:
    """Interference on this machine from its making on. Memory does not grow with time.

    `mark` is the variable, as `NAME=VALUE`, by which processes of the launch are known that are no
    descendants of this process, `network` that of programs which carry their messages. `alone` says
    that the ranks use no link but the loopback. Raises `UserError` where /proc cannot be read.
    """

    def __init__(
        self,
        mark: str,
        *,
        network: str = "",
        alone: bool = False,
        files: Files | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._files = files or Files()
        self._mark, self._network, self._alone, self._clock = mark, network, alone, clock
        self._began = clock()
        self._pause = _FIRST_LOOK_S
        self._looks = 0
        self._ticks: dict[tuple[str, str, bool], int] = {}
        self._most: dict[tuple[str, str, bool], int] = {}
        self._running: list[int] = [0, 0]
        self._marked: dict[tuple[int, int], str] = {}
        self._ranks_are_children = True
        spent = time.thread_time()
        self._before = queue(self._files)
        self._links = link_counters(self._files)
        self._table = self._read()
        self._newest = max((process.start for process in self._table.values()), default=0)
        self._other_load = OtherLoad(self._files)
        self._looks_cpu_s = time.thread_time() - spent
        self._next = self._began + _FIRST_LOOK_S

    def tick(self) -> None:
        """Look if it is time to."""
        if self._clock() >= self._next:
            self._look()

    def end(self) -> Interference:
        """Look for the last time, and return the interference."""
        self._look()
        seconds = max(self._clock() - self._began, 1e-3)
        rates = self._other_load.rates()
        return Interference(
            host=platform.node(),
            seconds=seconds,
            looks=self._looks,
            looks_cpu_s=self._looks_cpu_s,
            load_1_min=self._before.get("load_1_min"),
            running=int(self._before["running_processes"]),
            running_mean=self._running[0] / self._looks,
            running_most=self._running[1],
            cores=rates["busy_fraction"] * (os.cpu_count() or 1)
            if self._ranks_are_children
            else None,
            processors=os.cpu_count(),
            stolen_fraction=rates["stolen_fraction"],
            programs=self._programs(seconds),
            links=self._traffic(),
        )

    def _look(self) -> None:
        spent = time.thread_time()
        table = self._read()
        tree = descendants(table, [os.getpid()])
        running, at_once = 0, dict.fromkeys(self._ticks, 0)
        for process in table.values():
            ticks = new_ticks(process, self._table.get(process.pid), self._newest)
            if (ticks <= 0 and not process.running) or self._belongs_to_run(process, tree):
                continue
            running += process.running
            if ticks > 0:
                key = (_program(process), user_of(self._files, process.pid), _is_kernel(process))
                self._ticks[key] = self._ticks.get(key, 0) + ticks
                at_once[key] = at_once.get(key, 0) + 1
        for key, many in at_once.items():
            self._most[key] = max(self._most.get(key, 0), many)
        self._running = [self._running[0] + running, max(self._running[1], running)]
        self._forget(table)
        self._looks += 1
        self._spend(time.thread_time() - spent)

    def _spend(self, cpu_s: float) -> None:
        """Set when to look again, now that a look took so long."""
        self._looks_cpu_s += cpu_s
        self._next = self._clock() + max(self._pause, cpu_s / _LOOKING_FRACTION)
        self._pause = min(2 * self._pause, _LAST_LOOK_S)

    def _read(self) -> dict[int, ProcessStat]:
        return {process.pid: process for process in processes(self._files)}

    def _belongs_to_run(self, process: ProcessStat, tree: set[int]) -> bool:
        if process.pid in tree:
            return True
        key = (process.pid, process.start)
        if key not in self._marked:
            variables = filter(None, (self._mark, self._network))
            has = (v for v in variables if environment_has(self._files, process.pid, v))
            self._marked[key] = next(has, "")
        if self._marked[key] == self._mark:
            self._ranks_are_children = False
        return bool(self._marked[key])

    def _forget(self, table: dict[int, ProcessStat]) -> None:
        self._table = table
        alive = {(process.pid, process.start) for process in table.values()}
        self._marked = {key: mark for key, mark in self._marked.items() if key in alive}
        if len(self._ticks) > _MOST_KEPT:
            kept = sorted(self._ticks, key=self._ticks.__getitem__)[-_MOST_KEPT // 2 :]
            self._ticks = {key: self._ticks[key] for key in kept}
            self._most = {key: self._most[key] for key in kept}

    def _programs(self, seconds: float) -> tuple[InterferingProgram, ...]:
        found = [
            InterferingProgram(
                command=command,
                user=user,
                processes=self._most[command, user, kernel],
                cores=ticks / ticks_per_second() / seconds,
                kernel=kernel,
            )
            for (command, user, kernel), ticks in self._ticks.items()
        ]
        found = [program for program in found if program.cores >= _MATTERS_CORES]
        return tuple(sorted(found, key=lambda program: -program.cores)[:_MOST_PROGRAMS])

    def _traffic(self) -> tuple[Link, ...]:
        found = []
        for name, now in link_counters(self._files).items():
            before = self._links.get(name)
            counted = before and now.since(before)
            if not counted:
                continue
            moved = counted.received_bytes + counted.sent_bytes
            if moved >= _LEAST_LINK_BYTES or counted.errors or counted.dropped:
                known = self._alone and name != "lo"
                link = Link(name=name, **counted._asdict(), others_bytes=moved if known else None)
                found.append((moved, link))
        found.sort(key=lambda each: -each[0])
        return tuple(link for _, link in found[:_MOST_LINKS])


def _program(process: ProcessStat) -> str:
    return process.command.partition("/")[0] if _is_kernel(process) else process.command


def _is_kernel(process: ProcessStat) -> bool:
    return process.parent == KERNEL
