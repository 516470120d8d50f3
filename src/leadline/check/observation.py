"""What was seen of a running parallel program: ranks, threads, connections, and their machine.

Everything here is as the kernel and the loaded libraries have it, never as a launcher claims.
Values only: `leadline.check.watch` makes them, the rules in `leadline.check.faults` judge them.
"""

from collections.abc import Iterable

import msgspec

from leadline.site.hardware.files import format_cpus
from leadline.site.interference.preflight import OtherProgram


class Thread(msgspec.Struct, frozen=True, kw_only=True):
    """One thread of a rank.

    `cores` are the processors that it may use, `seen_on` those on which it was seen. `wanted` is
    the share of the look in which it ran or waited for a processor, `ran` that in which it ran.
    `policy` and `nice` are as in sched(7).
    """

    thread: int
    name: str = ""
    cores: tuple[int, ...] = ()
    seen_on: tuple[int, ...] = ()
    wanted: float = 0.0
    ran: float = 0.0
    policy: int = 0
    nice: int = 0


class Library(msgspec.Struct, frozen=True, kw_only=True):
    """A library that a rank has loaded; `file` is the device and number of its file."""

    path: str
    file: str

    @property
    def name(self) -> str:
        """The name of its file."""
        return self.path.rpartition("/")[2]


class Rank(msgspec.Struct, frozen=True, kw_only=True):
    """One process that the launcher numbered.

    `cores` are the processors allowed to its first thread when it was last seen. `environment` has
    only what configures MPI, its networks, OpenMP and the loader. `segments` are the pieces of
    memory that it may share for writing, by device and number of their files; `devices` the files
    of /dev that it has open. `memory_bytes` is its memory by NUMA node, empty where there is one.
    `namespaces` are the kernel's names for the views of the system that it has. Sizes are in bytes;
    None is unlimited, or unknown.
    """

    rank: int
    pid: int
    host: str = ""
    program: tuple[str, ...] = ()
    executable: str = ""
    cores: tuple[int, ...] = ()
    threads: tuple[Thread, ...] = ()
    environment: dict[str, str] = {}
    parents: tuple[str, ...] = ()
    libraries: tuple[Library, ...] = ()
    segments: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()
    memory_bytes: dict[int, int] = {}
    swapped_bytes: int = 0
    lock_limit_bytes: int | None = None
    lock_most_bytes: int | None = None
    quota_cores: float | None = None
    quota_file: str = ""
    throttled_s: float = 0.0
    tracer: int = 0
    seccomp: int = 0
    namespaces: dict[str, str] = {}
    shared_memory_bytes: int | None = None
    shared_memory_free_bytes: int | None = None
    shared_memory_read_only: bool = False

    @property
    def busy(self) -> tuple[Thread, ...]:
        """The threads that used or wanted a processor for more than half of the look."""
        return tuple(thread for thread in self.threads if thread.wanted > 0.5)

    @property
    def family(self) -> str:
        """The MPI that it has loaded: `openmpi`, `intel`, `mpich` for it and its kin, or empty."""
        return family_of(self.libraries)

    @property
    def mpi(self) -> tuple[Library, ...]:
        """The MPI libraries that it has loaded; one, unless something is wrong."""
        return tuple(library for library in self.libraries if is_mpi(library.name))


class Connection(msgspec.Struct, frozen=True, kw_only=True):
    """A TCP connection of a rank: with the rank `other` of this host, or to an `address`.

    `moved_bytes` is what it carried in the look, both ways, None where the kernel does not tell.
    """

    rank: int
    other: int | None = None
    address: str = ""
    moved_bytes: int | None = None


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """The host. `allowed` are leadline's own processors, `online` those that the kernel uses.

    `core_of` and `node_of` give each processor's core and NUMA node. `reading_error` is the error
    number of process_vm_readv between two processes of leadline, 0 where it works;
    `lock_limit_bytes` is leadline's own limit, None for none; `is_root` its own user.
    """

    host: str = ""
    online: tuple[int, ...] = ()
    allowed: tuple[int, ...] = ()
    core_of: dict[int, str] = {}
    node_of: dict[int, int] = {}
    rdma: tuple[str, ...] = ()
    ptrace_scope: int | None = None
    reading_error: int = 0
    lock_limit_bytes: int | None = None
    seccomp: int = 0
    namespaces: dict[str, str] = {}
    is_root: bool = False
    others: tuple[OtherProgram, ...] = ()


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """A look at a command. `size` is how many ranks the launcher numbered, on all hosts.

    `launcher` is one of `leadline.check.launchers`, empty where no rank was seen. `mpiexec` is the
    launcher of the MPI that the ranks have loaded, where leadline knows that MPI.
    `library_folder` is where an MPI here has the library that the loader missed. `output` is the
    last of what the command wrote to standard error; `status` its exit status where it has ended,
    negative for a signal.
    """

    command: tuple[str, ...]
    seconds: float
    launcher: str = ""
    mpiexec: str = ""
    library_folder: str = ""
    size: int = 0
    ranks: tuple[Rank, ...] = ()
    connections: tuple[Connection, ...] = ()
    machine: Machine = Machine()
    output: str = ""
    status: int | None = None

    @property
    def elsewhere(self) -> int:
        """How many ranks are not on this host."""
        return max(self.size - len(self.ranks), 0)

    @property
    def usable(self) -> tuple[int, ...]:
        """The processors of this host that ranks or leadline may use."""
        ranks = (core for rank in self.ranks for core in rank.cores)
        return tuple(sorted({*ranks, *self.machine.allowed}))

    @property
    def separate_views(self) -> dict[str, tuple[Rank, ...]]:
        """The kinds of namespaces that differ between ranks of one host name, with these ranks."""
        hosts: dict[str, list[Rank]] = {}
        for rank in self.ranks:
            hosts.setdefault(rank.namespaces.get("uts", ""), []).append(rank)
        return {
            kind: tuple(ranks)
            for ranks in hosts.values()
            for kind in ("ipc", "pid", "user")
            if len({each.namespaces[kind] for each in ranks if kind in each.namespaces}) > 1
        }

    @property
    def apart(self) -> bool:
        """Whether there are several ranks here and none is connected to another one."""
        segments = [segment for rank in self.ranks for segment in set(rank.segments)]
        numbers = {rank.rank for rank in self.ranks}
        joined = any(
            each.other != each.rank and {each.rank, each.other} <= numbers
            for each in self.connections
        )
        return len(self.ranks) > 1 and len(set(segments)) == len(segments) and not joined


def is_mpi(name: str) -> bool:
    """Tell whether a file's name is that of an MPI's library of C functions.

    >>> [is_mpi(each) for each in ("libmpi.so.12", "libmpich.so.12.2.2", "libmpi_cxx.so.40")]
    [True, True, False]
    """
    stem, dot, _ = name.partition(".so")
    return bool(dot) and stem in ("libmpi", "libmpich", "libmpi_abi", "libmpi_cray", "libmpi_intel")


def family_of(libraries: Iterable[Library]) -> str:
    """Return the family of the MPI among loaded libraries, empty where there is none.

    Open MPI is known by its layer below MPI, or by the number of its library: 40 since version 3.

    >>> family_of([Library(path="/opt/lib/libmpi.so.40.30.4", file="1:2")])
    'openmpi'
    """
    loaded = tuple(libraries)
    found = next((each for each in loaded if is_mpi(each.name)), None)
    if found is None:
        return ""
    if ".so.40" in found.name or any(each.name.startswith("libopen-pal.") for each in loaded):
        return "openmpi"
    folders = ("/impi", "intel", "/oneapi/mpi")
    intel = "libmpich" not in found.name and any(word in found.path.lower() for word in folders)
    return "intel" if intel else "mpich"


def format_ranks(ranks: Iterable[int]) -> str:
    """Return ranks as people write them.

    >>> format_ranks([0]), format_ranks([0, 1]), format_ranks([0, 1, 2, 5])
    ('rank 0', 'ranks 0 and 1', 'ranks 0-2,5')
    """
    numbers = sorted(set(ranks))
    if len(numbers) == 1:
        return f"rank {numbers[0]}"
    if len(numbers) == 2:
        return f"ranks {numbers[0]} and {numbers[1]}"
    return f"ranks {format_cpus(numbers)}"


def format_cores(cores: Iterable[int]) -> str:
    """Return processors as people write them.

    >>> format_cores([0]), format_cores([0, 1, 2])
    ('core 0', 'cores 0-2')
    """
    numbers = sorted(set(cores))
    return f"core{'s' if len(numbers) != 1 else ''} {format_cpus(numbers) or 'none'}"
