"""The processes of this machine: their kinship, their users, and the processor time they take.

Two readings: `processes` reads one short file of each, for those who look often while others
measure; `CpuShares` takes what psutil knows of each, where time does not matter.
"""

import contextlib
import os
import pwd
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from leadline.site.hardware.files import Files

# The variable by which each process of a launch is known, wherever it went.
TAG = "LEADLINE_TAG"
# The kernel's threads are children of process 2, and named such as kworker/0:1H-kblockd.
KERNEL = 2

_RANK_VARIABLES = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "MPI_LOCALRANKID")
_LAUNCHERS = {"mpiexec", "mpirun", "orterun", "prterun", "oshrun", "shmemrun", "smpirun"}
_DAEMONS = {"orted", "prted", "prte", "hydra_pmi_proxy", "hydra_bstrap_proxy", "pmi_proxy"}


class ProcessStat(NamedTuple):
    """A line of /proc/PID/stat. `start` tells the process from earlier ones of the same number.

    `cpu_ticks` is processor time of all its threads, in ticks as `start` is since the machine came
    up; `state` is the kernel's letter for its first thread (proc_pid_stat(5)).
    """

    pid: int
    parent: int
    session: int
    command: str
    start: int
    cpu_ticks: int
    state: str

    @property
    def running(self) -> bool:
        """Whether its first thread has or wants a processor."""
        return self.state == "R"

    @property
    def ended(self) -> bool:
        """Whether nothing of it is left but its number."""
        return self.state in ("Z", "X")


def processes(files: Files) -> Iterator[ProcessStat]:
    """Yield the processes that /proc shows; one short file is read of each."""
    folder = files.root / "proc"
    with os.scandir(folder) as entries:
        names = [entry.name for entry in entries if entry.name.isdigit()]
    for name in names:
        # There may be thousands, and every microsecond is taken from somebody's core.
        try:
            descriptor = os.open(f"{folder}/{name}/stat", os.O_RDONLY)
        except OSError:  # gone since
            continue
        try:
            text = os.read(descriptor, 4096)
        except OSError:
            continue
        finally:
            os.close(descriptor)
        # The program's name may itself hold blanks and brackets.
        command, bracket, rest = text.partition(b"(")[2].rpartition(b")")
        fields = rest.split(None, 21)
        if bracket and len(fields) > 19:
            yield ProcessStat(
                pid=int(name),
                parent=int(fields[1]),
                session=int(fields[3]),
                command=command.decode(errors="replace"),
                start=int(fields[19]),
                cpu_ticks=int(fields[11]) + int(fields[12]),
                state=fields[0].decode(),
            )


def descendants(table: dict[int, ProcessStat], of: Iterable[int]) -> set[int]:
    """Return the processes `of` and all that they started, directly or not, by number."""
    children: dict[int, list[int]] = {}
    for process in table.values():
        children.setdefault(process.parent, []).append(process.pid)
    found = set(of)
    left = list(found)
    while left:
        for child in children.get(left.pop(), ()):
            if child not in found:
                found.add(child)
                left.append(child)
    return found


def user_of(files: Files, pid: int) -> str:
    """Return the name of a process's user, its number where there is none, `?` once gone."""
    uid = files.owner(f"/proc/{pid}")
    return "?" if uid is None else user_name(uid)


def user_name(uid: int) -> str:
    """Return the name of a user, the number where there is no name."""
    with contextlib.suppress(KeyError):
        return pwd.getpwuid(uid).pw_name
    return str(uid)


def new_ticks(process: ProcessStat, before: ProcessStat | None, newest: int) -> int:
    """Return the processor time of a process since an earlier look, in which it was `before`.

    `newest` is the latest start of a process then: an older one was hidden, and counts as idle.
    """
    if before and before.start == process.start:
        return process.cpu_ticks - before.cpu_ticks
    return process.cpu_ticks if process.start >= newest else 0


def environment_has(files: Files, pid: int, variable: str) -> bool:
    """Tell whether a process was started with a variable, `NAME=VALUE`; not known is no."""
    return variable in (files.text(f"/proc/{pid}/environ") or "").split("\0")


def ticks_per_second() -> int:
    """Return how many ticks of processor time make a second."""
    return os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Process:
    """One process. `cpu_share` is processor time over time: 1 is one whole processor.

    `rank` and `tag` come from its environment (the MPI launcher's and leadline's variables) and
    are None where it has none or may not be read. `session` is the pid of its session's leader and
    `group` that of its process group's. `is_ancestor` marks leadline and the processes above it.
    `command` is its command line, empty for the kernel's threads.
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
    is_ancestor: bool = False
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
        return f"{self.name} (pid {self.pid}, {self.user}, {_format_age(self.age_s)} old, {share})"


class CpuShares:
    """A sampling of the shares of processors that processes take, from its making to `end`."""

    def __init__(self) -> None:
        self._before = {process.pid: seconds for process, seconds in _read_cpu_seconds()}
        self._start = time.monotonic()

    def end(self) -> tuple[Process, ...]:
        """Return the processes that are there now, with their share since the start."""
        import psutil

        now = list(_read_cpu_seconds())
        seconds = max(time.monotonic() - self._start, 1e-3)
        this = psutil.Process()
        ancestry = {process.pid for process in (this, *this.parents())}
        found: list[Process] = []
        for process, spent in now:
            share = max(spent - self._before.get(process.pid, 0.0), 0.0) / seconds
            with contextlib.suppress(psutil.NoSuchProcess):
                found.append(_read_process(process, share, process.pid in ancestry))
        return tuple(found)


def _read_cpu_seconds() -> Iterator[tuple[Any, float]]:
    import psutil

    for process in psutil.process_iter(["cpu_times"]):
        if times := process.info["cpu_times"]:
            yield process, times.user + times.system


def _read_process(found: Any, cpu_share: float, is_ancestor: bool) -> Process:
    facts = found.as_dict(["ppid", "username", "name", "create_time", "cmdline"])
    environment = _read_environment(found)
    return Process(
        pid=found.pid,
        parent=facts["ppid"] or 0,
        user=facts["username"] or "unknown",
        name=facts["name"] or "unknown",
        age_s=max(time.time() - (facts["create_time"] or time.time()), 0.0),
        cpu_share=cpu_share,
        rank=next((environment[key] for key in _RANK_VARIABLES if key in environment), None),
        tag=environment.get(TAG),
        session=_ask_number(os.getsid, found.pid),
        is_ancestor=is_ancestor,
        group=_ask_number(os.getpgid, found.pid),
        command=" ".join(facts["cmdline"] or ()),
    )


def _read_environment(found: Any) -> dict[str, str]:
    import psutil

    # Other people's processes hide theirs; the kernel's threads and the dead have none.
    try:
        return dict(found.environ())
    except (psutil.Error, OSError):
        return {}


def _ask_number(of: Callable[[int], int], pid: int) -> int:
    try:
        return of(pid)
    except OSError:
        return 0


def _format_age(seconds: float) -> str:
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"
