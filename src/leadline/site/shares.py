"""The processes of this machine: who they belong to and what share of processors they take."""

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

_RANK_VARIABLES = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "MPI_LOCALRANKID")
_LAUNCHERS = {"mpiexec", "mpirun", "orterun", "prterun", "oshrun", "shmemrun", "smpirun"}
_DAEMONS = {"orted", "prted", "prte", "hydra_pmi_proxy", "hydra_bstrap_proxy", "pmi_proxy"}


@dataclass(frozen=True)
class Process:
    """One process. `cpu_share` is processor time over time: 1 is one whole processor.

    `rank` and `tag` come from its environment (the MPI launcher's and leadline's variables) and
    are None where it has none or may not be read. `session` is the pid of its session's leader and
    `group` that of its process group's. `own` marks leadline and what started it. `command` is its
    command line, empty for the kernel's threads.
    """

    pid: int
    parent: int
    user: str
    name: str
    age_s: float
    cpu_share: float
    rank: str | None = None
    tag: str | None = None
    session: int = 0
    own: bool = False
    group: int = 0
    command: str = ""

    @property
    def is_launcher(self) -> bool:
        """Whether people and scripts start it in order to start MPI programs."""
        # Where several MPIs share a folder theirs are called mpiexec.hydra, mpirun.openmpi.
        return self.name.partition(".")[0] in _LAUNCHERS

    @property
    def is_mpi(self) -> bool:
        """Whether it belongs to an MPI job: launcher, daemon, rank, or of a leadline."""
        return self.is_launcher or self.name in _DAEMONS or bool(self.rank or self.tag)

    def __str__(self) -> str:
        share = f"{self.cpu_share:.0%} of a processor"
        return f"{self.name} (pid {self.pid}, {self.user}, {_age(self.age_s)} old, {share})"


class Watch:
    """The processes of this machine between its making and `end`."""

    def __init__(self) -> None:
        self._before = {process.pid: seconds for process, seconds in _times()}
        self._start = time.monotonic()

    def end(self) -> tuple[Process, ...]:
        """Return the processes that are there now, with their share since the start."""
        import psutil

        now = list(_times())
        seconds = max(time.monotonic() - self._start, 1e-3)
        this = psutil.Process()
        own = {process.pid for process in (this, *this.parents())}
        found: list[Process] = []
        for process, spent in now:
            share = max(spent - self._before.get(process.pid, 0.0), 0.0) / seconds
            with contextlib.suppress(psutil.NoSuchProcess):
                found.append(_process(process, share, process.pid in own))
        return tuple(found)


def _times() -> Iterator[tuple[Any, float]]:
    import psutil

    for process in psutil.process_iter(["cpu_times"]):
        if times := process.info["cpu_times"]:
            yield process, times.user + times.system


def _process(found: Any, cpu_share: float, own: bool) -> Process:
    facts = found.as_dict(["ppid", "username", "name", "create_time", "cmdline"])
    environment = _environment(found)
    return Process(
        pid=found.pid,
        parent=facts["ppid"] or 0,
        user=facts["username"] or "unknown",
        name=facts["name"] or "unknown",
        age_s=max(time.time() - (facts["create_time"] or time.time()), 0.0),
        cpu_share=cpu_share,
        rank=next((environment[key] for key in _RANK_VARIABLES if key in environment), None),
        tag=environment.get("LEADLINE_TAG"),
        session=_number(os.getsid, found.pid),
        own=own,
        group=_number(os.getpgid, found.pid),
        command=" ".join(facts["cmdline"] or ()),
    )


def _environment(found: Any) -> dict[str, str]:
    import psutil

    # Other people's processes hide theirs; the kernel's threads and the dead have none.
    try:
        return dict(found.environ())
    except (psutil.Error, OSError):
        return {}


def _number(of: Callable[[int], int], pid: int) -> int:
    try:
        return of(pid)
    except OSError:
        return 0


def _age(seconds: float) -> str:
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"
