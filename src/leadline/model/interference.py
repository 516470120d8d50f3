"""Interference found beside a launch, and neighbours that leadline makes to disturb a figure."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from leadline.model.plan import Value


class InterferingProgram(msgspec.Struct, frozen=True, kw_only=True):
    """The processes of one user that run the same program, leadline and its ranks left out.

    `cores` is their processor time over the time of the launch: 1 is one whole processor.
    `processes` is how many took any at once. `kernel` says that they are threads of the kernel,
    which nobody can end (false in runs of before 0.2).
    """

    command: str
    user: str
    processes: int
    cores: float
    kernel: bool = False


class InterferingJob(msgspec.Struct, frozen=True, kw_only=True):
    """A job of the batch system that ran meanwhile, for at least `seconds` of the launch.

    Of its `hosts` at most 32 are kept. `shared_nodes` is how many of its nodes the launch used too.
    """

    id: str
    user: str
    name: str
    nodes: int
    hosts: tuple[str, ...]
    shared_nodes: int
    seconds: float


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """What went over a link of the host during the launch, as its own counters have it.

    `others_bytes` is what others than the ranks sent and received: null where the ranks may have
    used the link too, since nobody counts what an MPI really sends.
    """

    name: str
    received_bytes: int
    sent_bytes: int
    errors: int
    dropped: int
    others_bytes: int | None = None


class Interference(msgspec.Struct, frozen=True, kw_only=True):
    """Who else was there during one launch.

    All but `jobs` is of `host` alone, where leadline runs; `unseen_hosts` had ranks too, of which
    nothing is known. `load_1_min` and `running` (processes of others that want a processor) are
    those just before the launch, `running_mean` and `running_most` those seen during it. `cores` is
    all of the others' processor time over that of the launch, also of processes that ended before
    anybody looked; null where ranks are no children of leadline, so that theirs is not known.
    `processors` is how many the host has.
    `stolen_fraction` is what a hypervisor gave to other machines, of all processors' time.

    `programs` are those that took most, `jobs` those with the most nodes, first those on nodes of
    the launch: of each at most 8, of all jobs there are `jobs_running` on `jobs_nodes` nodes.
    `batch_system` is empty where there is none; `jobs_unknown` says why its jobs are not known.
    `looks` is how often somebody looked, and `looks_cpu_s` the processor time that it took.
    """

    host: str
    seconds: float
    looks: int
    looks_cpu_s: float
    load_1_min: float | None = None
    running: int | None = None
    running_mean: float | None = None
    running_most: int | None = None
    cores: float | None = None
    processors: int | None = None
    stolen_fraction: float | None = None
    programs: tuple[InterferingProgram, ...] = ()
    links: tuple[Link, ...] = ()
    unseen_hosts: tuple[str, ...] = ()
    batch_system: str = ""
    jobs: tuple[InterferingJob, ...] = ()
    jobs_running: int = 0
    jobs_nodes: int = 0
    jobs_unknown: str = ""


class Congestion(msgspec.Struct, frozen=True, kw_only=True):
    """A congestor that ran as a job of its own, by its own count.

    `state` is `running` until it has ended. The seconds, and the bytes that all processes moved,
    count from the moment that its first round was found right.
    """

    kind: str
    mpi: str
    place: str
    hosts: tuple[str, ...] = ()
    processes: int = 0
    seconds: float = 0.0
    moved_bytes: float = 0.0
    rounds: float = 0.0
    state: Literal["running", "complete", "interrupted", "failed", "timed out"] = "running"
    message: str = ""

    @property
    def rate_MBps(self) -> float:  # noqa: N802 - the unit's own capitals
        """What it moved in a second, in 10^6 bytes; 0 before it has moved anything."""
        return self.moved_bytes / self.seconds / 1e6 if self.seconds > 0 else 0.0


NEIGHBOUR, SPACER, NEIGHBOUR_BYTES = "neighbour", "spacer", "neighbour_bytes"
NONE = "none"

# The knob that puts a second job beside a launch, and its value without one.
BESIDE = "beside"
NO_JOB = "default"

CONDITIONS = (NEIGHBOUR, SPACER, NEIGHBOUR_BYTES, BESIDE)


def disturbed(conditions: Mapping[str, Value]) -> bool:
    """Tell whether something runs beside what these are the conditions of."""
    return bool(disturbance(conditions))


def disturbance(conditions: Mapping[str, Value]) -> str:
    """Return what runs beside, such as `incast` or `incast (second job)`; empty where nothing."""
    neighbour = str(conditions.get(NEIGHBOUR, NONE))
    job = str(conditions.get(BESIDE, NO_JOB))
    both = (neighbour if neighbour != NONE else "", f"{job} (second job)" if job != NO_JOB else "")
    return " and ".join(filter(None, both))
