"""What is said of all jobs in a folder, as `leadline jobs --json` prints it.

All seconds are core seconds, but for those that say so: a rank counts as a core.
"""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

# What the time of a job may be lost to.
Loss = Literal["waiting", "files", "set_up", "unended"]
LOSSES: tuple[Loss, ...] = get_args(Loss)
Grouping = Literal["user", "program", "node", "week"]
JobState = Literal["ended", "aborted", "unended", "running"]


class CoreTime(msgspec.Struct, kw_only=True):
    """Where core seconds went; the six parts add up to `seconds`.

    `waiting_s` went for late ranks, `files_s` in MPI-IO, `set_up_s` in MPI_Init, MPI_Finalize and
    in making communicators and windows. `transfer_s` went in all other calls: what of it the
    machine needs is not known, so it is not lost. All that is left of a job that did not end is
    `unended_s`: whether its results were saved is not known.
    """

    seconds: float = 0.0
    computing_s: float = 0.0
    transfer_s: float = 0.0
    waiting_s: float = 0.0
    files_s: float = 0.0
    set_up_s: float = 0.0
    unended_s: float = 0.0

    @property
    def lost_s(self) -> float:
        """What was neither computing nor moving data."""
        return sum(map(self.lost_to, LOSSES))

    def lost_to(self, what: Loss) -> float:
        """Return what was lost to one of the four."""
        seconds: float = getattr(self, f"{what}_s")
        return seconds

    def add(self, other: CoreTime, part: float = 1.0) -> None:
        """Add a part of the time of another one."""
        self.seconds += part * other.seconds
        self.computing_s += part * other.computing_s
        self.transfer_s += part * other.transfer_s
        self.waiting_s += part * other.waiting_s
        self.files_s += part * other.files_s
        self.set_up_s += part * other.set_up_s
        self.unended_s += part * other.unended_s


class JobSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A job: whose it is, where its time went, and what most of the loss is due to.

    `began` is in seconds since 1970, `wall_s` the wall time of its longest rank, as long as it was
    seen. A job is `unended` where it wrote nothing more when it was due, and no scheduler says that
    it runs. `cause` is in words.
    `late_node` is the host whose ranks are all late, empty where there is none; `hosts` are in the
    order of the ranks. `calls` are those of an average rank, and `call_bytes` the bytes of a call.
    """

    path: str
    user: str
    job: str
    step: str
    program: str
    library: str
    began: float
    wall_s: float
    ranks: int
    hosts: tuple[str, ...]
    host_ranks: tuple[int, ...]
    state: JobState
    time: CoreTime
    lost_to: Loss | None = None
    cause: str = ""
    late_node: str = ""
    calls: float = 0.0
    call_bytes: float = 0.0

    @property
    def lost_s(self) -> float:
        """The core seconds that were lost."""
        return self.time.lost_s


class JobGroup(msgspec.Struct, frozen=True, kw_only=True):
    """The jobs of a user, program, node or week; of a node the part that ran there.

    `late` counts the jobs that waited for a node, and `late_s` what they waited; both are of nodes.
    """

    name: str
    jobs: int
    unended: int
    time: CoreTime
    lost_to: Loss | None = None
    late: int = 0
    late_s: float = 0.0


class SlowProgram(msgspec.Struct, frozen=True, kw_only=True):
    """A user's program that takes longer than it did: `ratio` times for each of its calls.

    `since` is the day on which it began (ISO 8601). `jobs` are those since then, `past` those that
    show what is usual. `lost_s` are the core seconds that its jobs since then took longer.
    """

    user: str
    program: str
    ranks: int
    library: str
    since: str
    ratio: float
    jobs: int
    past: int
    lost_s: float
    path: str
    past_path: str


class LateNode(msgspec.Struct, frozen=True, kw_only=True):
    """A node that is late in jobs of different programs.

    It was late in `late` of `jobs`. `p_value` is how probable as many are where it is like the
    other nodes, times the number of nodes that were looked at.
    """

    node: str
    late: int
    jobs: int
    programs: tuple[str, ...]
    users: int
    p_value: float
    lost_s: float
    path: str


class RefusedFiles(msgspec.Struct, frozen=True, kw_only=True):
    """Files that could not be believed, and what is wrong with the first one."""

    files: int = 0
    first: str = ""


class JobReport(msgspec.Struct, frozen=True, kw_only=True):
    """All jobs of a folder: `jobs` are in the order of what they lose.

    `groups` has users, programs, nodes and weeks, each in that order too.
    """

    folder: str
    jobs: tuple[JobSummary, ...]
    time: CoreTime
    groups: dict[Grouping, tuple[JobGroup, ...]]
    slower: tuple[SlowProgram, ...] = ()
    late_nodes: tuple[LateNode, ...] = ()
    refused: RefusedFiles = RefusedFiles()

    @property
    def period(self) -> tuple[float, float]:
        """When the first and the last of the jobs began, in seconds since 1970."""
        return min(job.began for job in self.jobs), max(job.began for job in self.jobs)

    def count(self, state: JobState) -> int:
        """Return how many jobs are in that state."""
        return sum(job.state == state for job in self.jobs)
