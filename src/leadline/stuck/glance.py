"""Glances at a job that runs: whether any rank moves, at the price of some short files.

A rank moves that comes a step further in its calls, and one that computes, reads or writes outside
them. Whether the rest hangs, a look of `leadline.stuck.watch` judges.
"""

import platform
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from leadline.core.errors import UserError
from leadline.site.hardware.files import Files
from leadline.site.processes import descendants, processes, ticks_per_second
from leadline.stuck.current import NodeFile, Standing
from leadline.stuck.job import BEFORE_INIT, BUSY, FILES, RUNNING
from leadline.stuck.watch import step_between

# Between two tests that fail a rank has its own code: one that wants a core for more than this of
# the time without being in MPI computes.
_COMPUTES = 0.6


class Work(NamedTuple):
    """What a process did until now.

    Its seconds on a core of all threads, of the first one, and for which that one had or wanted a
    core; what it read and wrote.
    """

    state: str
    ran_s: float
    first_ran_s: float
    first_wanted_s: float
    files: tuple[str, ...]


class Glance(NamedTuple):
    """What a glance shows: whether a rank moved since the last one, and which processes are gone.

    Those had not come to the end of MPI.
    """

    moved: bool
    gone: frozenset[int]


class Seen(NamedTuple):
    """A rank in a glance; of one on another host, and of one that is gone, no work is known."""

    when: float
    standing: Standing
    work: Work | None
    here: bool = True


def moves_outside(before: Seen, now: Seen, tests: int) -> bool:
    """Tell whether a rank of this host works although its calls stand, between two glances.

    Meanwhile it has made so many `tests` of what had not happened.
    """
    if not before.work or not now.work:
        return True
    lasted = max(now.when - before.when, 1e-3)
    busy = (now.work.ran_s - before.work.ran_s) / lasted
    first = (now.work.first_ran_s - before.work.first_ran_s) / lasted
    # Somebody looks at it with a debugger, or other threads work.
    if now.work.state == "t" or busy - first >= BUSY:
        return True
    if tests:
        # On a crowded host it may have little of a core.
        wanted = (now.work.first_wanted_s - before.work.first_wanted_s) / lasted
        in_mpi = (now.standing.mpi_s - before.standing.mpi_s) / lasted
        return wanted - in_mpi >= _COMPUTES
    call = now.standing.call
    if call.kind == FILES:
        return before.work.files != now.work.files
    if call.function:
        return False
    return busy >= BUSY or now.work.state == "R" or before.work.files != now.work.files


@dataclass
class Glances:
    """Glances at the job that records into a folder; `close` lets go of its files."""

    folder: Path
    files: Files = field(default_factory=Files)
    clock: Callable[[], float] = time.monotonic
    _nodes: dict[tuple[str, int], NodeFile] = field(default_factory=dict)
    _before: dict[tuple[Path, int], Seen] = field(default_factory=dict)

    def take(self) -> Glance:
        """Return what has become of the job since the last glance.

        Once all are known, ranks are read until one has moved. The next glance may then call a step
        new that is older, and the one after that is right.
        """
        missing = {pid for pid in self._pids() if self._is_gone(pid)}
        moved = not self._before
        nodes = self._opened()
        enough = not missing and len(self._before) >= sum(node.ranks_here for node in nodes)
        for node in nodes:
            here = _is_here(node)
            for standing in node.standings():
                moved |= self._has_moved(node, standing, here)
                if moved and enough:
                    return Glance(True, frozenset())
        return Glance(moved, frozenset(missing & self._pids()))

    @property
    def spans_hosts(self) -> bool:
        """Whether ranks of other hosts were seen."""
        return not all(map(_is_here, self._nodes.values()))

    def outside(self) -> set[int]:
        """Return the processes of this host's ranks that were in their own code."""
        seen = self._before.values()
        return {each.standing.pid for each in seen if each.work and not each.standing.call.function}

    def close(self) -> None:
        """Let go of the files of the nodes."""
        for node in self._nodes.values():
            node.close()
        self._nodes.clear()

    def _opened(self) -> list[NodeFile]:
        found = {}
        for path in sorted(self.folder.glob("*.explain")):
            with suppress(OSError):
                found[str(path), path.stat().st_ino] = path
        for key in self._nodes.keys() - found.keys():
            self._nodes.pop(key).close()
        for key in found.keys() - self._nodes.keys():
            with suppress(UserError):  # its head is not written yet
                self._nodes[key] = NodeFile(found[key])
        return [self._nodes[key] for key in found if key in self._nodes]

    def _pids(self) -> set[int]:
        """Return the processes of this host that had not ended when they were last looked at."""
        return {
            seen.standing.pid
            for seen in self._before.values()
            if seen.here and seen.standing.state in (BEFORE_INIT, RUNNING)
        }

    def _has_moved(self, node: NodeFile, standing: Standing, here: bool) -> bool:
        key = (node.path, standing.at)
        before = self._before.get(key)
        runs = standing.state in (BEFORE_INIT, RUNNING)
        work = self._work(standing.pid) if here and runs else None
        now = self._before[key] = Seen(self.clock(), standing, work, here)
        moved, tests = step_between(node, before and before.standing, standing)
        if moved or before is None:
            return True
        if not runs:
            return False
        if here:
            return not self._is_gone(standing.pid) and moves_outside(before, now, tests)
        # Whether a rank of another host computes where it calls nothing cannot be seen.
        return not (tests or standing.call.function)

    def _is_gone(self, pid: int) -> bool:
        stat = self.files.text(f"/proc/{pid}/stat")
        return stat is None or stat.rpartition(")")[2].split()[:1] in (["Z"], ["X"])

    def _work(self, pid: int) -> Work | None:
        fields = (self.files.text(f"/proc/{pid}/stat") or "").rpartition(")")[2].split()
        if len(fields) < 13:
            return None
        ran_s = (int(fields[11]) + int(fields[12])) / _TICKS
        # Of its first thread: nanoseconds on a core, and waiting for one. Kernels may have no such.
        words = (self.files.text(f"/proc/{pid}/schedstat") or "").split()[:2]
        first = [int(word) * 1e-9 for word in words] if len(words) == 2 else [ran_s, 0.0]
        return Work(fields[0], ran_s, first[0], sum(first), moved_bytes(self.files, pid))


_TICKS = ticks_per_second()


def _is_here(node: NodeFile) -> bool:
    return node.host == platform.node()[:63]


def moved_bytes(files: Files, pid: int) -> tuple[str, ...]:
    """Return how much a process has read and written until now, empty where that is not known."""
    return tuple((files.text(f"/proc/{pid}/io") or "").split()[1::2])


class Children:
    """What processes have started, and how much that worked until now."""

    def __init__(self, files: Files, pids: Iterable[int], clock: Callable[[], float]) -> None:
        of = {*pids}
        table = {process.pid: process for process in processes(files)}
        self._when = clock()
        self._work = {
            pid: (table[pid].cpu_ticks, moved_bytes(files, pid))
            for pid in descendants(table, of) - of
            if pid in table and not table[pid].ended
        }

    def worked_since(self, before: "Children") -> bool:
        """Tell whether any of them has computed, read or written, or is new."""
        lasted = max(self._when - before._when, 1e-3)
        for pid, (ticks, files) in self._work.items():
            earlier = before._work.get(pid)
            if earlier is None or earlier[1] != files:
                return True
            if (ticks - earlier[0]) / _TICKS / lasted >= BUSY:
                return True
        return False
