"""A program run to see where its time goes: its start and end, and what a profiler printed."""

import msgspec


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """How the program was started and ended.

    `host` is the one where it was started, and `cores` those that it might use there.
    `status` is its exit status, negative for a signal, None as long as it runs and where another
    profiler watched it. `ranks` and `nodes` are those that were seen in the end, and `headline` is
    what was said of its time then.
    """

    command: tuple[str, ...]
    mpi: str
    accelerated: bool = False
    host: str = ""
    cores: int = 0
    status: int | None = None
    ranks: int = 0
    nodes: int = 0
    headline: str = ""


class ProfiledRank(msgspec.Struct, frozen=True, kw_only=True):
    """A rank's seconds from `MPI_Init` to `MPI_Finalize`, and those of them in MPI."""

    rank: int
    host: str = ""
    seconds: float
    mpi_s: float


class ProfiledCalls(msgspec.Struct, frozen=True, kw_only=True):
    """The calls of one function from one place, of all ranks.

    `where` is empty where the place is not known. `bytes` are those of all calls; they and the
    shortest and longest call are None where the profiler does not tell them.
    """

    call: str
    where: str = ""
    calls: int
    bytes: int | None = None
    seconds: float
    fastest_s: float | None = None
    slowest_s: float | None = None


class ProgramProfile(msgspec.Struct, frozen=True, kw_only=True):
    """What a profiler printed of a program of `ranks_total` ranks that `command` started.

    It counts time in MPI as a whole: what of it is waiting is not known. `notes` say what else the
    report does not tell.
    """

    command: tuple[str, ...] = ()
    ranks_total: int
    ranks: tuple[ProfiledRank, ...]
    calls: tuple[ProfiledCalls, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts of the ranks, in the order of their first rank."""
        return tuple(dict.fromkeys(rank.host for rank in self.ranks if rank.host))
