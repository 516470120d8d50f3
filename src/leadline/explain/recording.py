"""A recording: what each rank of a program did, as the preloaded library saw it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

# Kinds of functions, as the library numbers them.
N_TO_N, ONE_TO_N, N_TO_ONE, SCAN, SEND, RECEIVE, BOTH = range(1, 8)
START, COMPLETE, TEST, ONE_SIDED, SYNCHRONISE, FILES, SET_UP, OTHER, WAIT = range(8, 17)
COLLECTIVES = (N_TO_N, ONE_TO_N, N_TO_ONE, SCAN)
MESSAGES = (SEND, RECEIVE, BOTH, START, COMPLETE)
_WAITING_KINDS = (*COLLECTIVES, SEND, RECEIVE, BOTH, COMPLETE, TEST, SYNCHRONISE, WAIT)


# What each program calls once.
BEGIN_AND_END = (
    "MPI_Init", "MPI_Init_thread", "MPI_Finalize",
    "shmem_init", "shmem_init_thread", "start_pes", "shmem_finalize",
)  # fmt: skip

# What ends a program of either API at once.
ABORT = {"MPI": "MPI_Abort", "OpenSHMEM": "shmem_global_exit"}

# Whom calls make wait for whom, as the library numbers it.
ALL, FROM_ROOT, TO_ROOT, FROM_LOWER = range(1, 5)
# In the place of a group: barriers of leadline's own, which are no calls of the program.
MEETINGS = 2**64 - 2


class Function(msgspec.Struct, frozen=True):
    """A function of MPI or OpenSHMEM, as C names it, and its kind."""

    name: str
    kind: int


class Site(msgspec.Struct, frozen=True):
    """A place in the program; `file` is the object that it is in.

    `line` is that of the source, such as `solver.c:42`, or what else tells places of one function
    apart; empty where nothing does.
    """

    text: str = ""
    file: str = ""
    address: int = 0
    line: str = ""

    @property
    def key(self) -> tuple[str, int]:
        """What its line is found by."""
        return self.file, self.address

    @property
    def where(self) -> str:
        """The place in a few words, empty where it is not known."""
        text = self.text or (f"{self.file}+{self.address:#x}" if self.file else "")
        return f"{text} ({self.line})" if self.line else text


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """The calls of one function, from one place, of one class of sizes, on one communicator.

    `bytes` are those of all calls. `nodes` are those of the communicator. Where the waiting
    `at_least` was so long, more of it could not be told from transfer. Where it is `estimated`, of
    short calls some stand for the others, which leaves a standard error of `error_s` (0 where that
    was not kept). `late_sender_s` and `late_receiver_s` are parts of the waiting.
    """

    function: Function
    site: Site
    size_class: int
    comm_ranks: int
    nodes: int
    calls: int
    bytes: int
    seconds: float
    waiting_s: float
    slowest_s: float = 0.0
    late_sender_s: float = 0.0
    late_receiver_s: float = 0.0
    at_least: bool = False
    estimated: bool = False
    error_s: float = 0.0

    @property
    def is_even(self) -> bool:
        """Whether the communicator has two ranks or more, as many on each of its nodes."""
        return self.comm_ranks > 1 and self.nodes > 0 and self.comm_ranks % self.nodes == 0

    @property
    def own_s(self) -> float:
        """The seconds that were no waiting."""
        return max(self.seconds - self.waiting_s, 0.0)

    @property
    def mean_bytes(self) -> float:
        """The size of a call."""
        return self.bytes / self.calls


class Peer(msgspec.Struct, frozen=True):
    """What a rank sent to another one, and how long it waited since that one came last."""

    messages: int
    bytes: int
    waited_s: float
    waited_calls: int


class Unfinished(msgspec.Struct, frozen=True):
    """The call in which a rank still was at the end, for how long, and where it was called."""

    function: Function
    seconds: float
    where: str = ""

    @property
    def waits(self) -> bool:
        """Whether it is one that returns when another rank has come."""
        return self.function.kind in _WAITING_KINDS


class Visits(NamedTuple):
    """When a rank came to calls of groups with members on several nodes, and left; shape (V,).

    Of a program that makes more such calls than a rank has room for, all ranks keep the same ones.
    `begun_s` and `ended_s` are in seconds by its node's clock since the node's first rank began,
    and `waited_s` is what it waited for ranks of its own node. `row` is the index of the call's
    row, -1 without one, `root` the rank of the root in the job.
    """

    group: NDArray[np.uint64]
    call: NDArray[np.uint64]
    begun_s: NDArray[np.float64]
    ended_s: NDArray[np.float64]
    waited_s: NDArray[np.float64]
    row: NDArray[np.int64]
    root: NDArray[np.int64]
    shape: NDArray[np.int64]


class Marks(NamedTuple):
    """What a rank had done at the ends of slices of its time; all of shape (M,).

    `at_s` is the time since it began, the others are sums until then, of its main thread. What the
    kernel says was asked a call's end later: for `queued_s` the rank could run and had no
    processor, for `throttled_s` a quota kept the processes of its control group from running.
    `probe_s` is how long arithmetic of as many cycles each time took then, in any unit. For
    `stolen_s` a hypervisor withheld its core, at least; of older recordings it is not known, and of
    the file of a job `waiting_s` is not.
    """

    at_s: NDArray[np.float64]
    mpi_s: NDArray[np.float64]
    queued_s: NDArray[np.float64]
    throttled_s: NDArray[np.float64]
    probe_s: NDArray[np.float64]
    waiting_s: NDArray[np.float64] | None = None
    stolen_s: NDArray[np.float64] | None = None


class Region(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a rank's time that its program has marked: from MPI_Pcontrol(level) at `site` on.

    It was there so many `times`; the other figures are of all of these together.
    """

    site: Site
    level: int
    times: int
    calls: int
    seconds: float
    mpi_s: float
    waiting_s: float
    files_s: float


class Threads(msgspec.Struct, frozen=True):
    """The threads of a rank beside the one that began MPI, which have computed.

    So many `workers` had or wanted one of the `cores` that all may use for `wanted_s` together.
    """

    workers: int
    cores: int
    wanted_s: float


class Cost(msgspec.Struct, frozen=True):
    """What observing all ranks has cost: `own_s` of their main threads' time.

    Of short calls one in up to `one_in` told how long all of them waited.
    """

    own_s: float
    one_in: int


class Rank(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a rank. `mpi_s`, `waiting_s` and `files_s` are of its main thread.

    `state` is as the library has it: 1 running, 2 finalised, 3 ended without that, 4 aborted, 5
    killed before a watcher's eyes. An `unfinished` call is in none of the sums. `lost` counts calls
    that found no room, by what was lost. `peers` holds only those with which it had to do. `visits`
    are None where all ranks are on one node. For `queued_s` its main thread was ready to run and
    had no processor, None where that is not known. Until MPI had begun it took `before_s`, and from
    MPI_Finalize's call on `after_s`. `marks` are None where none were made, `threads` where there
    are no others.
    """

    rank: int
    node: int
    host: str = ""
    state: int = 2
    seconds: float
    mpi_s: float
    waiting_s: float
    files_s: float = 0.0
    other_threads_s: float = 0.0
    queued_s: float | None = None
    before_s: float = 0.0
    after_s: float = 0.0
    calls: int = 0
    rows: tuple[Row, ...] = ()
    peers: dict[int, Peer] = {}
    lost: dict[str, int] = {}
    unfinished: Unfinished | None = None
    visits: Visits | None = None
    marks: Marks | None = None
    regions: tuple[Region, ...] = ()
    threads: Threads | None = None


class Recording(msgspec.Struct, frozen=True, kw_only=True):
    """A whole recording: `ranks` in their order, of `ranks_total` that the program had.

    A program of OpenSHMEM has a rank for each PE. `also` is another API that the program calls, of
    which nothing was recorded. Where waits for ranks of other nodes were found out, `clock_error_s`
    is how far off an arrival there may be. Without `cost` it is not known what observing took.
    """

    ranks: tuple[Rank, ...]
    ranks_total: int
    library: str = ""
    also: str = ""
    clock_error_s: float | None = None
    cost: Cost | None = None

    @property
    def rows(self) -> list[Row]:
        """The rows of all ranks, one rank behind the other."""
        return [row for rank in self.ranks for row in rank.rows]

    @property
    def api(self) -> str:
        """The API whose calls were recorded."""
        names = {row.function.name for row in self.rows}
        return "MPI" if not names or any(name.startswith("MPI_") for name in names) else "OpenSHMEM"

    @property
    def nodes(self) -> int:
        """On how many nodes ranks were seen."""
        return len({rank.node for rank in self.ranks})

    def sent(self, amount: Callable[[Peer], int]) -> tuple[int, int]:
        """Return the `amount` of all that was sent, within nodes and between them."""
        node_of = {rank.rank: rank.node for rank in self.ranks}
        found = [0, 0]
        for rank in self.ranks:
            for other, peer in rank.peers.items():
                found[node_of.get(other) != rank.node] += amount(peer)
        return found[0], found[1]

    @property
    def hosts(self) -> frozenset[str]:
        """The hosts of the ranks, without their domains."""
        return frozenset(rank.host.partition(".")[0] for rank in self.ranks)

    @property
    def seconds(self) -> float:
        """The wall time of the longest rank."""
        return max(rank.seconds for rank in self.ranks)
