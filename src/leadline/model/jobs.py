"""Who runs where: the jobs and the nodes of a machine at one moment."""

from typing import Literal

import msgspec

JobPhase = Literal["running", "ending", "suspended", "waiting"]
NodePhase = Literal["idle", "mixed", "allocated", "drained", "down"]


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A job that runs or waits. Null is what the system does not tell.

    `phase` is the same for all systems, `state` is in their own words. `queue` is a partition or
    queue, or several joined by commas. `nodes` and `cores` are what a job has, or asks for while it
    waits; `busy_cores` is how many its `processes` keep busy now, where the system sees them.
    `hosts` are the nodes that it runs on, in the system's order, and `base_node` the first of them,
    where its script runs. `used_s` is the time since it began, and `limit_s` what it may take, null
    where that is not limited. `reason` says why it waits, in the system's words, and `position` is
    its turn in its queue, 1 for the next one; held jobs have none.
    """

    id: str
    user: str
    name: str
    phase: JobPhase
    state: str
    queue: str = ""
    nodes: int | None = None
    cores: int | None = None
    processes: int | None = None
    busy_cores: float | None = None
    hosts: tuple[str, ...] = ()
    base_node: str = ""
    used_s: float | None = None
    limit_s: float | None = None
    command: str = ""
    reason: str = ""
    position: int | None = None


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """A node. Null is what the system does not tell.

    `phase` is the same for all systems, `state` in the system's own words: a `mixed` node has idle
    cores beside busy ones, a `drained` one takes no more jobs, and what is idle of a `reserved` one
    is kept for somebody. `cores` are those of all sockets, hardware threads not counted. `clock_hz`
    is the frequency at which its processor is sold, `load` how many processes want to run. `note`
    says why a node is drained or down.
    """

    name: str
    phase: NodePhase
    state: str
    queues: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    architecture: str = ""
    sockets: int | None = None
    cores: int | None = None
    threads_per_core: int | None = None
    cores_in_use: int | None = None
    memory_bytes: int | None = None
    free_memory_bytes: int | None = None
    clock_hz: float | None = None
    load: float | None = None
    note: str = ""
    reserved: bool = False


class NodeKind(msgspec.Struct, frozen=True, kw_only=True):
    """Nodes that differ in nothing but their names and what they do now.

    `sockets`, `cores` and `memory_bytes` are of each node; `idle`, `in_use`, `drained` and `down`
    count nodes, `cores_in_use` is of all of them, and `load` of one on average. `clock_hz` is that
    of the first node that tells it.
    """

    queues: tuple[str, ...]
    features: tuple[str, ...]
    architecture: str
    sockets: int | None
    cores: int | None
    threads_per_core: int | None
    memory_bytes: int | None
    clock_hz: float | None
    nodes: int
    idle: int
    in_use: int
    drained: int
    down: int
    cores_in_use: int | None
    load: float | None


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """A region of a machine, which is a partition or a queue, and what it takes of a job.

    `state` is in the system's own words; a region that is not `open` starts no jobs. Null is what
    is not limited. `for_whom` names those who may use it, or is empty for everybody.
    """

    name: str
    state: str
    open: bool
    default: bool = False
    least_nodes: int | None = None
    most_nodes: int | None = None
    most_cores: int | None = None
    most_s: float | None = None
    default_s: float | None = None
    priority: int | None = None
    for_whom: str = ""


class CoresByKind(msgspec.Struct, frozen=True, kw_only=True):
    """What the cores of some nodes do: the kinds together are all of them.

    `batch` and `interactive` are those of jobs of the region, `others` those of jobs of other
    regions, or of which nobody knows the job. `reserved`, `drained` and `down` ones could be idle.
    """

    batch: int = 0
    interactive: int = 0
    others: int = 0
    idle: int = 0
    reserved: int = 0
    drained: int = 0
    down: int = 0


class Region(Limits, frozen=True, kw_only=True):
    """A region with what goes on in it; `nodes` that are of several regions count in each."""

    nodes: int
    idle: int
    in_use: int
    reserved: int
    drained: int
    down: int
    cores: CoresByKind
    running: int
    waiting: int
