"""Which processes are the ranks of a command: by the variables that its launcher gave them."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from leadline.check import look
from leadline.check.launchers import NO_LAUNCHER, Launcher, launcher_of, number
from leadline.site.hardware.files import Files
from leadline.site.processes import TAG, ProcessStat, descendants, environment_has, processes

# What wraps a program and is not it, where both have the rank's variables.
LAUNCHING = (
    "hydra_pmi_proxy", "hydra_bstrap_pr", "orted", "prted", "prterun", "prte", "mpirun", "mpiexec",
    "orterun", "slurmstepd", "srun", "mpiexec.hydra",
)  # fmt: skip


class Found(NamedTuple):
    """A process that is a rank, with all its variables, and the programs above it."""

    pid: int
    rank: int
    size: int
    launcher: Launcher
    environment: dict[str, str]
    parents: tuple[str, ...]
    has_mpi: bool


class Finder:
    """Finds the ranks of the command whose process is `started`, and which has the `tag`.

    Daemons of batch systems start ranks that descend from no process of the command: the tag, a
    variable that is handed on, tells these.
    """

    def __init__(self, files: Files, started: int, tag: str) -> None:
        self._files = files
        self._started = started
        self._tag = tag
        self._foreign: set[tuple[int, int]] = set()

    def find(self) -> list[Found]:
        """Return the ranks that there are now, in their order."""
        table = {process.pid: process for process in processes(self._files)}
        tree = descendants(table, [self._started])
        found: dict[int, Found] = {}
        for one in self._numbered(table, tree):
            best = found.get(one.rank)
            # Of a wrapper and what it started, the program is the inner one.
            inner = best and not one.has_mpi and best.pid in above(table, one.pid)
            if best is None or (not best.has_mpi and (one.has_mpi or inner)):
                found[one.rank] = one
        if not found:
            return list(self._alone(table, tree))
        return [found[rank] for rank in sorted(found)]

    def _numbered(self, table: Mapping[int, ProcessStat], tree: set[int]) -> Iterator[Found]:
        for process in sorted(table.values(), key=lambda each: (each.start, each.pid)):
            if process.ended or process.command in LAUNCHING:
                continue
            if process.pid not in tree and not self._is_tagged(process):
                continue
            environment = look.environment_of(self._files, process.pid)
            parents = tuple(table[pid].command for pid in above(table, process.pid) if pid in table)
            launcher = launcher_of(environment, parents)
            rank = number(environment, launcher.rank) if launcher else None
            if launcher is None or rank is None:
                continue
            size = number(environment, launcher.size) or 0
            mpi = look.has_mpi(self._files, process.pid)
            yield Found(process.pid, rank, size, launcher, environment, parents, mpi)

    def _alone(self, table: Mapping[int, ProcessStat], tree: set[int]) -> Iterator[Found]:
        for pid in sorted(tree & table.keys()):
            one = table[pid]
            if one.ended or one.command in LAUNCHING or not look.has_mpi(self._files, pid):
                continue
            yield Found(pid, 0, 1, NO_LAUNCHER, look.environment_of(self._files, pid), (), True)
            return

    def _is_tagged(self, process: ProcessStat) -> bool:
        key = (process.pid, process.start)
        if key in self._foreign:
            return False
        if environment_has(self._files, process.pid, f"{TAG}={self._tag}"):
            return True
        # Its variables are looked at again only where it may still become another program.
        if process.command not in ("slurmstepd", "bash", "sh"):
            self._foreign.add(key)
        return False


def above(table: Mapping[int, ProcessStat], pid: int) -> list[int]:
    """Return the processes above one, the nearest first."""
    found: list[int] = []
    while pid in table and table[pid].parent > 1 and table[pid].parent not in found:
        pid = table[pid].parent
        found.append(pid)
    return found
