"""What was seen of a parallel program within a second: the call of each rank, and its process.

Values only: `leadline.stuck.watch` makes them, the rules in `leadline.stuck.rules` judge them.
"""

from collections.abc import Iterable, Mapping

import msgspec

from leadline.check.observation import format_ranks

# Kinds of functions, as a recording has them.
ONE_TO_MANY, MANY_TO_ONE, SEND, RECEIVE, BOTH, START, WAIT, TEST = 2, 3, 5, 6, 7, 8, 9, 10
COLLECTIVES = (1, 2, 3, 4)
ONE_SIDED, FILES, SET_UP, OTHER = 12, 13, 14, 15
# What a rank does again and again without being a step further.
IDLE = (TEST, OTHER)
ANYONE, NOBODY = -1, -2
ANY_TAG = -1
WORLD = 0
# Calls with which a rank ends its API.
ENDS = ("MPI_Finalize", "shmem_finalize")
# States of a rank, as a recording has them.
BEFORE_INIT, RUNNING, FINALISED, EXITED, ABORTED = range(5)
_COLLECTIVE_WINDOWS = ("MPI_Win_fence", "MPI_Win_free")
_LONELY_SET_UP = (
    "MPI_Win_attach", "MPI_Win_detach", "MPI_Comm_create_group", "MPI_Comm_create_from_group",
    "MPI_Intercomm_create_from_groups", "MPI_Comm_join", "MPI_Session_init", "MPI_Session_finalize",
    "MPI_Open_port", "MPI_Close_port", "MPI_Publish_name", "MPI_Unpublish_name", "MPI_Lookup_name",
    "shmem_ctx_create", "shmem_ctx_destroy", "shmem_team_create_ctx",
)  # fmt: skip
_FILES_FOR_ALL = (
    "MPI_File_open", "MPI_File_close", "MPI_File_set_size", "MPI_File_set_view",
    "MPI_File_preallocate", "MPI_File_sync", "MPI_File_set_atomicity", "MPI_File_set_info",
    "MPI_File_seek_shared",
)  # fmt: skip
# Shorter, a rank's own code is never called a hang; nor before ten of its usual pauses, which are
# known from so many calls on.
_LEAST_PAUSE_S = 1.5
_PAUSES = 10
HABIT = 10
# Nor before so long where it may go on by itself: it computes, sleeps, writes, waits for a child
# or for a thread that does.
# Where it has no habit yet, or is done but for its end, such a phase may be the longest of all.
PHASE_S = 60.0
_FIRST_PHASE_S = 600.0
# A process with less of a processor than this sleeps.
BUSY = 0.1
# System calls that end by what a thread of the process does, or never. The lock of a file may be
# another program's.
_HELD = ("futex", "pause", "rt_sigsuspend")


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What a call such as MPI_Wait waits for, in words as a `Call` has them.

    `has_begun` tells whether the other side has called, as far as that can be known. `number` is
    that of a collective on its communicator; `sent` how many messages the sender had sent to this
    rank when the wait began, None where that is not known.
    """

    peer: int = NOBODY
    tag: int = ANY_TAG
    sends: bool = False
    receives: bool = False
    is_collective: bool = False
    has_begun: bool = False
    communicator: int | None = None
    number: int = 0
    sent: int | None = None


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """Where a rank is: a function of MPI or OpenSHMEM; in its own code `function` is empty.

    `communicator` is the same number on all its ranks, 0 for all of the job, None where unknown;
    `number` counts its collectives. `peer` and `root` are ranks of the job, -1 any, -2 none.
    `since_s` is how long the rank has been there, None where unknown. `awaiting` are the requests
    of a call that waits for some, 32 at most. `place` is at `address` of the object `file`.
    """

    function: str = ""
    kind: int = 0
    place: str = ""
    file: str = ""
    address: int = 0
    communicator: int | None = None
    number: int = 0
    peer: int = NOBODY
    tag: int = ANY_TAG
    root: int = NOBODY
    bytes: int = 0
    since_s: float | None = None
    awaiting: tuple[Request, ...] = ()

    @property
    def is_collective(self) -> bool:
        """Whether all ranks of the communicator have to call it."""
        name = self.function
        if self.kind == SET_UP:
            return name not in _LONELY_SET_UP
        if self.kind == FILES:
            started = name.startswith(("MPI_File_iread", "MPI_File_iwrite"))
            return name in _FILES_FOR_ALL or ("_all" in name and not started) or "_ordered" in name
        return self.kind in COLLECTIVES or name in _COLLECTIVE_WINDOWS

    @property
    def is_numbered(self) -> bool:
        """Whether it can be put beside the calls of other ranks on the same communicator."""
        return self.is_collective and self.communicator is not None and "_Init" not in self.function

    @property
    def is_message(self) -> bool:
        """Whether it waits for a rank that it names."""
        return self.kind in (SEND, RECEIVE, BOTH, WAIT) and self.peer != NOBODY

    @property
    def on(self) -> str:
        """The name of the communicator, empty where it is not known."""
        if not self.function:
            return ""
        if is_of_shmem(self.function) and self.communicator is not None:
            return "all PEs" if self.communicator == WORLD else f"PEs {self.communicator:x}"
        return communicator_name(self.communicator)

    def __str__(self) -> str:
        if not self.function:
            return "its own code"
        return f"{self.function} at {self.place}" if self.place else self.function


def is_of_shmem(function: str) -> bool:
    """Tell whether a function is one of OpenSHMEM.

    >>> is_of_shmem("shmem_barrier_all"), is_of_shmem("start_pes"), is_of_shmem("MPI_Barrier")
    (True, True, False)
    """
    return function.startswith("shmem") or function == "start_pes"


def communicator_name(communicator: int | None) -> str:
    """Return the name of a communicator, empty where it is not known."""
    if communicator is None:
        return ""
    return "MPI_COMM_WORLD" if communicator == WORLD else f"communicator {communicator:x}"


class Process(msgspec.Struct, frozen=True, kw_only=True):
    """A rank's process as the kernel has it.

    `state` is the kernel's letter for its first thread in all looks, `?` where it changed and empty
    where the process is gone. `busy` is the processor time of all threads over the time of the
    look. `waits` says in which system call or place of the kernel the first thread was all the
    time, `reads` from what it reads there. `thread_works` where another thread of it does what ends
    by itself: it runs, sleeps, waits for a file system or for a child. `stack` has the innermost
    function first.
    """

    pid: int
    state: str = "R"
    busy: float = 0.0
    waits: str = ""
    reads: str = ""
    tracer: int = 0
    wakes: int = 0
    threads: int = 1
    thread_works: bool = False
    stack: tuple[str, ...] = ()

    @property
    def is_gone(self) -> bool:
        """Whether nothing of it runs any more."""
        return self.state in ("", "Z", "X")

    @property
    def is_stopped(self) -> bool:
        """Whether a signal or a debugger stops it."""
        return self.state in ("T", "t")


class Rank(msgspec.Struct, frozen=True, kw_only=True):
    """A rank: where it is, and what its process does (None on another host).

    `moved` tells whether it came a step further during the look; `polls` is how often in a second
    it tested for something that did not happen. `called` are functions that it has called, with the
    numbers of bits of their bytes. `usual_pause_s` is the mean time between its calls until now,
    None as long as it has made few.
    """

    rank: int
    pid: int = 0
    host: str = ""
    state: int = RUNNING
    call: Call = Call()
    process: Process | None = None
    moved: bool = False
    polls: float = 0.0
    called: Mapping[str, frozenset[int]] = {}
    usual_pause_s: float | None = None

    @property
    def api(self) -> str:
        """The API whose calls were seen."""
        seen = (self.call.function, *self.called)
        return "OpenSHMEM" if any(map(is_of_shmem, seen)) else "MPI"

    @property
    def end(self) -> str:
        """The call with which it ends the API."""
        return ENDS[0] if self.api == "MPI" else ENDS[1]

    @property
    def seen(self) -> Process:
        """What its process does; of one on another host nothing is known."""
        return self.process or Process(pid=self.pid)

    @property
    def has_ended(self) -> bool:
        """Whether it has passed that call or left the program."""
        return self.state in (FINALISED, EXITED, ABORTED)

    @property
    def is_dead(self) -> bool:
        """Whether its process is gone without a word."""
        return not self.has_ended and self.process is not None and self.process.is_gone

    @property
    def is_stopped(self) -> bool:
        """Whether its process is stopped."""
        return self.process is not None and self.process.is_stopped

    @property
    def waits(self) -> bool:
        """Whether it has been in one call of MPI that needs another rank, during the whole look."""
        return self._stays and bool(self.call.function) and self.call.kind not in (START, *IDLE)

    @property
    def is_in_own_code(self) -> bool:
        """Whether it runs outside MPI and has called nothing during the look."""
        return self._stays and not self.call.function

    @property
    def _stays(self) -> bool:
        gone = self.has_ended or self.is_dead or self.is_stopped
        return not (self.moved or self.polls or gone)

    def is_overdue(self, at_the_end: bool) -> bool:
        """Tell whether it has been in its own code for longer than it is used to.

        `at_the_end` where it is waited for only in what ends the API.
        """
        usual = max(_LEAST_PAUSE_S, _PAUSES * (self.usual_pause_s or 0.0))
        if not self._is_held:
            knows = self.usual_pause_s is not None and not at_the_end
            usual = max(usual, PHASE_S if knows else _FIRST_PHASE_S)
        return self.is_in_own_code and (self.call.since_s or 0.0) >= usual

    @property
    def _is_held(self) -> bool:
        """Whether its process was seen where it does not go on by itself, all the time."""
        if self.seen.wakes:
            return False
        in_call = any(f"({name})" in self.seen.waits for name in _HELD)
        is_held = in_call and self.seen.busy < BUSY and not self.seen.thread_works
        return bool(self.seen.reads) or is_held


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """All ranks that were seen. `calls_known` is false where no recording told their calls.

    `size` is the number of ranks of the job, `seconds` how long they were looked at. Where it
    `has_ended`, ranks are where they were then.
    """

    ranks: tuple[Rank, ...]
    size: int
    seconds: float = 1.0
    calls_known: bool = True
    library: str = ""
    recording: str = ""
    has_ended: bool = False

    @property
    def api(self) -> str:
        """The API whose calls were seen."""
        return next((rank.api for rank in self.ranks if rank.api != "MPI"), "MPI")

    @property
    def waiting(self) -> tuple[Rank, ...]:
        """The ranks that wait in a call of MPI."""
        return tuple(rank for rank in self.ranks if rank.waits)

    @property
    def moved(self) -> tuple[Rank, ...]:
        """The ranks that came a step further."""
        return tuple(rank for rank in self.ranks if rank.moved)

    @property
    def all_wait(self) -> bool:
        """Whether each rank that has not ended waits in a call of MPI, and none is away."""
        return all(rank.waits or rank.has_ended for rank in self.ranks)

    @property
    def least_wait_s(self) -> float:
        """How long the rank has waited that came last; 0 where none waits or that is not known."""
        return min((rank.call.since_s or 0.0 for rank in self.waiting), default=0.0)

    def rank(self, number: int) -> Rank | None:
        """Return the rank of that number, None where it was not seen."""
        return next((each for each in self.ranks if each.rank == number), None)

    def collectives(self) -> dict[tuple[int, int], list[Rank]]:
        """Return the ranks that wait in collectives, by communicator and number of the call."""
        found: dict[tuple[int, int], list[Rank]] = {}
        for rank in self.waiting:
            if rank.call.is_numbered:
                assert rank.call.communicator is not None
                found.setdefault((rank.call.communicator, rank.call.number), []).append(rank)
        return found


def numbers(ranks: Iterable[Rank]) -> tuple[int, ...]:
    """Return the numbers of ranks."""
    return tuple(sorted(rank.rank for rank in ranks))


def named(ranks: Iterable[Rank]) -> str:
    """Return ranks as people write them."""
    return format_ranks(numbers(ranks))


_PLURALS = {"is": "are", "has": "have"}


def subject(ranks: Iterable[Rank], verb: str) -> str:
    """Return ranks and a verb in the form that goes with their number.

    >>> subject([Rank(rank=0)], "waits"), subject([Rank(rank=0), Rank(rank=1)], "has")
    ('rank 0 waits', 'ranks 0 and 1 have')
    """
    which = numbers(ranks)
    plural = _PLURALS.get(verb, verb.removesuffix("s"))
    return f"{format_ranks(which)} {verb if len(which) == 1 else plural}"


def ago(seconds: float | None) -> str:
    """Return how long something lasts, empty where it is not known.

    >>> ago(12.34), ago(200), ago(9000)
    ('12 s', '3.3 min', '2.5 h')
    """
    if seconds is None:
        return ""
    for unit, length in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:{'.2g' if seconds < 99 * length else '.0f'}} {unit}"
    return f"{seconds:{'.1f' if seconds < 10 else '.0f'}} s"


def described(ranks: Iterable[Rank]) -> tuple[str, ...]:
    """Return a line for each call in which ranks are, with all that the call names."""
    groups: dict[tuple[object, ...], list[Rank]] = {}
    for rank in ranks:
        call = rank.call
        what = (call.function, call.place, call.communicator, call.number, call.peer, call.tag)
        groups.setdefault((*what, call.root, call.bytes), []).append(rank)
    return tuple(f"{subject(group, 'is')} in {_detail(group[0].call)}" for group in groups.values())


def _detail(call: Call) -> str:
    """Return a call with its peer or root, bytes, communicator and number."""
    words = [str(call)]
    if call.kind in (SEND, BOTH) and call.peer != NOBODY:
        words.append(f"to rank {call.peer}")
    elif call.kind in (RECEIVE, WAIT) and call.peer != NOBODY:
        preposition = "from" if call.kind == RECEIVE else "with"
        words.append(f"{preposition} {'any rank' if call.peer == ANYONE else f'rank {call.peer}'}")
    elif open_ := {each.peer for each in call.awaiting if each.peer >= 0 and not each.has_begun}:
        words.append(f"with {format_ranks(open_)}")
    facts = []
    if call.kind in (SEND, RECEIVE, BOTH) and call.tag != ANY_TAG:
        facts.append(f"tag {call.tag}")
    if call.root != NOBODY:
        facts.append(f"root {call.root}")
    if call.function and call.kind in (*COLLECTIVES, SEND, RECEIVE, BOTH):
        facts.append(f"{call.bytes} B")
    if call.on:
        facts.append(f"call {call.number} of {call.on}" if call.is_numbered else call.on)
    if call.since_s is not None:
        facts.append(f"for {ago(call.since_s)}")
    return " ".join(words) + (f" ({', '.join(facts)})" if facts else "")
