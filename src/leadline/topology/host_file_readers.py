"""What each launcher makes of a host file."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import NamedTuple

import msgspec


class Line(NamedTuple):
    """A line that is neither empty nor a comment: its number from 1, and its words."""

    number: int
    words: tuple[str, ...]

    @property
    def host(self) -> str:
        """The first word."""
        return self.words[0]


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A host as a launcher knows it: so many slots, None for as many as it has cores."""

    host: str
    slots: int | None
    maximum: int | None = None


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What a launcher makes of a file.

    `entries` are in the order in which it fills them; a host may come again. With `given` each rank
    has its host and no other is asked. Nothing starts where it is `refused`; `remarks` are what
    goes another way than the file looks. A `foreign` file is none that anybody would give it.
    Ranks are kept to `cores` cores of each host at least.
    """

    entries: tuple[Entry, ...] = ()
    given: tuple[str, ...] = ()
    refused: str = ""
    remarks: tuple[str, ...] = ()
    foreign: bool = False
    cores: int = 0


def joined(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return entries with those of one host that follow each other made one."""
    return tuple(
        Entry(host=host, slots=sum(each.slots or 0 for each in found))
        for host, found in ((h, list(f)) for h, f in groupby(entries, key=lambda each: each.host))
    )


# Open MPI's words for the nodes of an allocation, by number, and for its empty ones.
_RELATIVE = re.compile(r"\+(?:n(\d+)|e(?::\d+)?)")
# So many ranks nobody has; more would fill the memory.
_NUMBER = re.compile(r"\d{1,6}", re.ASCII)
_SLOTS = ("slots", "count", "cpu")
_MOST = ("max_slots", "max-slots", "count_max")


def read_openmpi_hosts(lines: Sequence[Line]) -> Reading:
    """Return what Open MPI 4 and 5 make of a host file: `HOST slots=N max_slots=M`.

    A host that is listed once without a number has as many slots as cores, one that is listed
    several times as many as lines. Hosts are filled one after the other; what is beyond their
    slots is refused.

    >>> lines = Line(1, ("a", "slots=2")), Line(2, ("b",)), Line(3, ("b",))
    >>> read_openmpi_hosts(lines).entries
    (Entry(host='a', slots=2, maximum=None), Entry(host='b', slots=2, maximum=None))
    """
    hosts: dict[str, Entry] = {}
    remarks: list[str] = []
    for line in lines:
        where = f"line {line.number}"
        if wrong := _find_fault(line):
            return Reading(refused=f"{where}: {wrong}")
        ranked = line.host == "rank"
        host = line.words[1].partition("=")[2] if ranked else line.host.rpartition("@")[2]
        values = {} if ranked else _values(line)
        known = hosts.get(host)
        if "slots" in values and known:
            return Reading(refused=f"{where}: {host} has its slots given more than once")
        slots: int | None
        if ranked:
            slots = (known.slots or 0) + 1 if known else 1
        elif known:
            slots = (known.slots or 1) + 1
        else:
            slots = values.get("slots", values.get("most"))
        most = values.get("most", known.maximum if known else None)
        if most is not None and (slots or 0) > most:
            return Reading(refused=f"{where}: more slots than max_slots")
        hosts[host] = Entry(host=host, slots=slots, maximum=most)
        unread = [] if ranked else [word for word in line.words[1:] if "=" not in word]
        remarks += [f"{where}: {word} is not read, write slots={word}" for word in unread]
    if any(line.host == "rank" for line in lines):
        remarks.append("each line counts as a slot of its host, and no rank is kept to its own")
    return Reading(entries=tuple(hosts.values()), remarks=tuple(remarks))


def _find_fault(line: Line) -> str:
    if line.host == "rank":
        there = len(line.words) > 1 and re.fullmatch(r"\d{1,7}=\S+", line.words[1])
        return "" if there else "no rank and host follow"
    if any(mark in line.host for mark in "[]"):
        return f"{line.host} is no name, write each host's"
    if _RELATIVE.fullmatch(line.host):
        return f"{line.host} counts nodes of a batch system, and without one nothing starts"
    if any(mark in line.host for mark in ":*,"):
        cure = re.fullmatch(r"(\S+?)[:*](\d+)(?::\S*)?", line.host)
        instead = f", write {cure[1]} slots={cure[2]}" if cure else ""
        return f"{line.host} is taken for the name of a host, and none is called so{instead}"
    for word in line.words[1:]:
        key, equals, value = word.partition("=")
        if equals and key not in (*_SLOTS, *_MOST):
            return f"{word} is not known"
        if equals and not _NUMBER.fullmatch(value):
            return f"{word} is no number of slots"
    return ""


def _values(line: Line) -> dict[str, int]:
    pairs = (word.partition("=") for word in line.words[1:])
    return {"slots" if key in _SLOTS else "most": int(n) for key, equals, n in pairs if equals}


_LINE = re.compile(r"rank (\d{1,7})=(\S+)(?: slots?=(\S+))?")
_CORES = re.compile(r"(p?)(?:(\d+):)?(\*|\d{1,5}(?:-\d{1,5})?(?:,\d{1,5}(?:-\d{1,5})?)*)", re.ASCII)
_IN_ALLOCATION = "the hosts must be in the allocation too: add --host or --hostfile"


class _RankLine(NamedTuple):
    """A line of a rank file: its number, the rank, its host, and its cores as they are written."""

    number: int
    rank: int
    host: str
    slot: str

    def cores(self) -> set[int]:
        """Return the numbers of the cores; none for all of them, or for those of a package."""
        match = _CORES.fullmatch(self.slot)
        if not match or match[2] or match[3] == "*":
            return set()
        ends = (part.partition("-") for part in match[3].split(","))
        return {
            core for first, _, last in ends for core in range(int(first), int(last or first) + 1)
        }


def _rank_lines(lines: Sequence[Line]) -> list[_RankLine] | Reading:
    """Return the lines in the order of their ranks, or why Open MPI 4 and 5 refuse them."""
    if not any(line.host == "rank" for line in lines):
        return Reading(foreign=True)
    found: dict[int, _RankLine] = {}
    for line in lines:
        match = _LINE.fullmatch(" ".join(line.words))
        if not match or not _CORES.fullmatch(match[3] or "*"):
            return Reading(refused=f"line {line.number} is none of a rank file")
        if any(int(a) > int(b) for a, b in re.findall(r"(\d+)-(\d+)", match[3] or "")):
            return Reading(refused=f"line {line.number}: {match[3]} ends before it begins")
        rank = int(match[1])
        if rank in found:
            return Reading(refused=f"line {line.number}: rank {rank} comes twice")
        found[rank] = _RankLine(line.number, rank, match[2].rpartition("@")[2], match[3] or "")
    missing = next((rank for rank in range(len(found)) if rank not in found), None)
    if missing is not None:
        return Reading(refused=f"rank {missing} has no line")
    return [found[rank] for rank in range(len(found))]


def _of_rank_lines(lines: Sequence[_RankLine], *remarks: str) -> Reading:
    reading = _given([line.host for line in lines], *remarks, _IN_ALLOCATION)
    cores = max((core for line in lines for core in line.cores()), default=-1) + 1
    return msgspec.structs.replace(reading, cores=cores)


def read_openmpi_4_ranks(lines: Sequence[Line]) -> Reading:
    """Return what Open MPI 4 makes of a rank file: `rank N=HOST slot=CORES`, each rank's host.

    >>> lines = Line(1, ("rank", "1=b", "slot=0")), Line(2, ("rank", "0=a", "slot=0"))
    >>> read_openmpi_4_ranks(lines).given
    ('a', 'b')
    """
    found = _rank_lines(lines)
    if isinstance(found, Reading):
        return found
    for line in found:
        if not line.slot:
            return Reading(refused=f"line {line.number}: Open MPI 4 wants cores, write slot=0")
        if _RELATIVE.fullmatch(line.host):
            return Reading(
                refused=f"line {line.number}: {line.host} counts nodes of a batch system, and "
                "without one nothing starts"
            )
    return _of_rank_lines(found)


def read_openmpi_ranks(lines: Sequence[Line]) -> Reading:
    """Return what Open MPI 5 makes of a rank file, in which ranks must not share a core.

    A host such as `+n0` is the first of `--host` or of the allocation.

    >>> lines = Line(1, ("rank", "1=b", "slot=0")), Line(2, ("rank", "0=+n0", "slot=0"))
    >>> read_openmpi_ranks(lines).given
    ('node 0', 'b')
    """
    found = _rank_lines(lines)
    if isinstance(found, Reading):
        return found
    taken: dict[tuple[str, int], int] = {}
    remarks: tuple[str, ...] = ()
    named = []
    for line in found:
        where = f"line {line.number}"
        if line.slot.startswith("p"):
            return Reading(
                refused=f"{where}: slot={line.slot}, a core as the system counts it, ends Open MPI "
                "5.0 with a segmentation fault"
            )
        for core in sorted(line.cores()):
            if (line.host, core) in taken:
                other = taken[line.host, core]
                return Reading(refused=f"{where}: core {core} of {line.host} is rank {other}'s too")
            taken[line.host, core] = line.rank
        if relative := _RELATIVE.fullmatch(line.host):
            if not relative[1]:
                return Reading(refused=f"{where}: {line.host} is no host of a rank file")
            line = line._replace(host=f"node {relative[1]}")
            remarks = ("node N is the one of this number, from 0, in --host or the allocation",)
        named.append(line)
    return _of_rank_lines(named, *remarks)


def _given(given: Sequence[str], *remarks: str) -> Reading:
    entries = tuple(Entry(host=host, slots=n) for host, n in Counter(given).items())
    return Reading(given=tuple(given), entries=entries, remarks=remarks)


_KNOWN = ("binding", "bindto", "user")


def read_counts(lines: Sequence[Line], unreadable: str, *, adapters: bool = False) -> Reading:
    """Return the hosts of `HOST:N` lines, as every Hydra tells words apart.

    What follows a number, as MVAPICH names its adapters, is passed over only with `adapters`.

    They are filled one after the other, again and again. Lines of one host that follow each other
    are one; a host that comes back later is visited twice. `unreadable` says what comes of a count
    that is no number, or 0.

    >>> read_counts([Line(1, ("a:2",)), Line(2, ("b",)), Line(3, ("b",))], "").entries
    (Entry(host='a', slots=2, maximum=None), Entry(host='b', slots=2, maximum=None))
    """
    entries = []
    for line in lines:
        where = f"line {line.number}"
        host, colon, count = line.host.partition(":")
        unknown = next((w for w in line.words[1:] if w.partition("=")[0] not in _KNOWN), None)
        if unknown is not None:
            slots = re.fullmatch(r"slots=(\d+)", unknown)
            cure = f", write {host}:{slots[1]}" if slots else ""
            return Reading(refused=f"{where}: {unknown} is not known{cure}")
        if any(mark in host for mark in "[]*,+") or (":" in count and not adapters):
            return Reading(
                refused=f"{where}: {line.host} is taken for the name of one host, and none is "
                "called so"
            )
        digits = count.partition(":")[0]
        number = int(digits) if _NUMBER.fullmatch(digits) else 0
        if colon and not number:
            return Reading(refused=f"{where}: {line.host} has no number of ranks, and {unreadable}")
        entries.append(Entry(host=host, slots=number if colon else 1))
    return Reading(entries=joined(entries))


def read_intel_hosts(lines: Sequence[Line]) -> Reading:
    """Return what Intel MPI makes of a host file: names alone count.

    Each host gets as many ranks in a row as it has cores (I_MPI_PERHOST=allcores), or what `-ppn`
    says; the numbers behind a colon are read and not used.

    >>> read_intel_hosts([Line(1, ("a:2",)), Line(2, ("b",))]).entries
    (Entry(host='a', slots=None, maximum=None), Entry(host='b', slots=None, maximum=None))
    """
    counted = read_counts(lines, _UNREADABLE)
    entries = tuple(msgspec.structs.replace(each, slots=None) for each in counted.entries)
    remarks = counted.remarks
    if any((each.slots or 1) > 1 for each in counted.entries):
        remarks += (
            "numbers and repeated lines do not count: give the file with -machinefile, or say -ppn",
        )
    return msgspec.structs.replace(counted, entries=entries, remarks=remarks)


def read_mvapich_hosts(lines: Sequence[Line]) -> Reading:
    """Return what MVAPICH's own launcher makes of `HOST:N:ADAPTER` lines.

    N is how many ranks, ADAPTER the InfiniBand adapter that they take. As its user guide has it,
    "Run using mpirun_rsh"; it was not asked itself.

    >>> read_mvapich_hosts([Line(1, ("a:2:mlx5_0",)), Line(2, ("b",))]).entries
    (Entry(host='a', slots=2, maximum=None), Entry(host='b', slots=1, maximum=None))
    """
    if any(line.host == "rank" for line in lines):
        return Reading(foreign=True)
    reading = read_counts(lines, "mpirun_rsh ends", adapters=True)
    return reading if any(line.host.count(":") == 2 for line in lines) else Reading(foreign=True)


def read_slurm_hosts(lines: Sequence[Line]) -> Reading:
    """Return what `srun` makes of a host file: a name a rank, `NAME*N` for N in a row.

    >>> read_slurm_hosts([Line(1, ("b",)), Line(2, ("a*2,b",))]).given
    ('b', 'a', 'a', 'b')
    """
    if any(line.host == "rank" for line in lines):
        return Reading(foreign=True)
    given: list[str] = []
    remarks = []
    for line in lines:
        if more := " ".join(line.words[1:]):
            remarks.append(f"line {line.number}: {more} is not read")
        if "[" in line.host:
            return Reading(
                refused=f"line {line.number}: {line.host} counts as one rank and names several "
                "nodes, write each"
            )
        for name in line.host.split(","):
            host, star, count = name.partition("*")
            if not re.fullmatch(r"[\w.-]+", host) or (star and not _NUMBER.fullmatch(count)):
                several = re.fullmatch(r"([\w.-]+):(\d+)(?::\S*)?", name)
                cure = f", write {several[1]}*{several[2]}" if several else ""
                where = f"line {line.number}"
                return Reading(refused=f"{where}: {name} is no name of a node{cure}")
            given += [host] * (int(count) if star else 1)
    return _given(given, *remarks)


class Reader(NamedTuple):
    """A launcher's way to read a host file: its name, and the launcher with which of its files.

    `usage` is the command line that reads the file `{path}`; PROGRAM stands for the program. Where
    slots are used up, the launcher begins `again` at the first host, or refuses.
    """

    name: str
    title: str
    usage: str
    read: Callable[[Sequence[Line]], Reading]
    again: bool = False


_UNREADABLE = "every rank starts on the machine of mpiexec"
READERS = (
    Reader(
        "openmpi",
        "Open MPI 4 and 5, host file",
        "mpirun --hostfile {path} -n {processes} PROGRAM",
        read_openmpi_hosts,
    ),
    Reader(
        "openmpi_4_ranks",
        "Open MPI 4, rank file",
        "mpirun --rankfile {path} -n {processes} PROGRAM",
        read_openmpi_4_ranks,
    ),
    Reader(
        "openmpi_ranks",
        "Open MPI 5, rank file",
        "mpirun --map-by rankfile:file={path} -n {processes} PROGRAM",
        read_openmpi_ranks,
    ),
    Reader(
        "hydra",
        "MPICH (Hydra), host file",
        "mpiexec -f {path} -n {processes} PROGRAM",
        lambda lines: read_counts(
            lines, "mpiexec may end with a floating point exception", adapters=True
        ),
        again=True,
    ),
    Reader(
        "mvapich",
        "MVAPICH, host file of mpirun_rsh",
        "mpirun_rsh -np {processes} -hostfile {path} PROGRAM",
        read_mvapich_hosts,
        again=True,
    ),
    Reader(
        "intel",
        "Intel MPI, host file",
        "mpiexec -f {path} -n {processes} PROGRAM",
        read_intel_hosts,
        again=True,
    ),
    Reader(
        "intel_machines",
        "Intel MPI, machine file",
        "mpiexec -machinefile {path} -n {processes} PROGRAM",
        lambda lines: read_counts(lines, _UNREADABLE),
        again=True,
    ),
    Reader(
        "slurm",
        "Slurm, host file",
        "SLURM_HOSTFILE={path} srun --distribution=arbitrary -n {processes} PROGRAM",
        read_slurm_hosts,
    ),
)
