"""What each launcher makes of a host file."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple, Protocol

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
    """

    entries: tuple[Entry, ...] = ()
    given: tuple[str, ...] = ()
    refused: str = ""
    remarks: tuple[str, ...] = ()
    foreign: bool = False


class Reader(Protocol):
    """A launcher's way to read a host file."""

    @property
    def name(self) -> str:
        """The name of the module."""

    @property
    def title(self) -> str:
        """The launcher, and which of its files."""

    @property
    def again(self) -> bool:
        """Whether it begins again at the first host where slots are used up; it refuses if not."""

    @property
    def usage(self) -> str:
        """The command line that reads the file `{path}`; PROGRAM stands for the program."""

    def read(self, lines: Sequence[Line]) -> Reading:
        """Return what it makes of the lines."""


def joined(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return entries with those of one host that follow each other made one."""
    return tuple(
        Entry(host=host, slots=sum(each.slots or 0 for each in found))
        for host, found in ((h, list(f)) for h, f in groupby(entries, key=lambda each: each.host))
    )


_SLOTS = ("slots", "count", "cpu")
_MOST = ("max_slots", "max-slots", "count_max")


class OpenMpiHostFile:
    """What `mpirun --hostfile` reads.

    Open MPI's host file (4 and 5 read it alike): `HOST slots=N max_slots=M`.

    A host that is listed once without a number has as many slots as cores, one that is listed
    several times as many as lines. Hosts are filled one after the other; what is beyond their
    slots is refused.


    >>> lines = Line(1, ("a", "slots=2")), Line(2, ("b",)), Line(3, ("b",))
    >>> OpenMpiHostFile().read(lines).entries
    (Entry(host='a', slots=2, maximum=None), Entry(host='b', slots=2, maximum=None))
    """

    name = "openmpi"
    title = "Open MPI 4 and 5, host file"
    again = False
    usage = "mpirun --hostfile {path} -n {processes} PROGRAM"

    def read(self, lines: Sequence[Line]) -> Reading:
        """Return hosts in the order of their first line."""
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
    """Return why a line cannot be used; empty where it can."""
    if line.host == "rank":
        there = len(line.words) > 1 and re.fullmatch(r"\d+=\S+", line.words[1])
        return "" if there else "no rank and host follow"
    if any(mark in line.host for mark in "[]"):
        return f"{line.host} is no name, write each host's"
    if any(mark in line.host for mark in ":*,"):
        cure = re.fullmatch(r"(\S+?)[:*](\d+)", line.host)
        instead = f", write {cure[1]} slots={cure[2]}" if cure else ""
        return f"{line.host} is taken for the name of a host, and none is called so{instead}"
    for word in line.words[1:]:
        key, equals, value = word.partition("=")
        if equals and key not in (*_SLOTS, *_MOST):
            return f"{word} is not known"
        if equals and not value.isdigit():
            return f"{word} is no number"
    return ""


def _values(line: Line) -> dict[str, int]:
    pairs = (word.partition("=") for word in line.words[1:])
    return {"slots" if key in _SLOTS else "most": int(n) for key, equals, n in pairs if equals}


_LINE = re.compile(r"rank (\d+)=(\S+) slots?=(\S+)")


class OpenMpiRankFile:
    """What `mpirun --rankfile` (5: `--map-by rankfile:file=`) reads.

    Open MPI's rank file: `rank N=HOST slot=CORES`, each rank's host and cores.

    >>> lines = Line(1, ("rank", "1=b", "slot=0")), Line(2, ("rank", "0=a", "slot=0"))
    >>> OpenMpiRankFile().read(lines).given
    ('a', 'b')
    """

    name = "openmpi_ranks"
    title = "Open MPI 4 and 5, rank file"
    again = False
    usage = "mpirun --map-by rankfile:file={path} -n {processes} PROGRAM"

    def read(self, lines: Sequence[Line]) -> Reading:
        """Return the host of each rank."""
        if not any(line.host == "rank" for line in lines):
            return Reading(foreign=True)
        found: dict[int, str] = {}
        for line in lines:
            match = _LINE.fullmatch(" ".join(line.words))
            if not match:
                return Reading(refused=f"line {line.number} is none of a rank file")
            if int(match[1]) in found:
                return Reading(refused=f"line {line.number}: rank {match[1]} comes twice")
            found[int(match[1])] = match[2]
        missing = next((rank for rank in range(len(found)) if rank not in found), None)
        if missing is not None:
            return Reading(refused=f"rank {missing} has no line")
        given = tuple(found[rank] for rank in range(len(found)))
        return Reading(
            given=given,
            entries=tuple(Entry(host=host, slots=n) for host, n in Counter(given).items()),
            remarks=("the hosts must be in the allocation too: add --host or --hostfile",),
        )


_KNOWN = ("binding", "bindto", "user")


def read_counts(lines: Sequence[Line], unreadable: str) -> Reading:
    """Return the hosts of `HOST:N` lines, as every Hydra tells words apart.

    `unreadable` says what comes of a count that is no number, or 0.
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
        if any(mark in host for mark in "[]*,"):
            return Reading(
                refused=f"{where}: {host} is taken for the name of one host, and none is called so"
            )
        number = int(count) if count.isdigit() else 0
        if colon and not number:
            return Reading(refused=f"{where}: {line.host} has no number of ranks, and {unreadable}")
        entries.append(Entry(host=host, slots=number if colon else 1))
    return Reading(entries=joined(entries))


class HydraHostFile:
    """What `mpiexec -f` reads.

    MPICH's host file: `HOST:N`, which its launcher Hydra fills one after the other, again and
    again. Lines of one host that follow each other are one; a host that comes back later is
    visited twice.


    >>> HydraHostFile().read([Line(1, ("a:2",)), Line(2, ("b",)), Line(3, ("b",))]).entries
    (Entry(host='a', slots=2, maximum=None), Entry(host='b', slots=2, maximum=None))
    """

    name = "hydra"
    title = "MPICH (Hydra), host file"
    again = True
    usage = "mpiexec -f {path} -n {processes} PROGRAM"

    def read(self, lines: Sequence[Line]) -> Reading:
        """Return the hosts in turn."""
        return read_counts(lines, "mpiexec may end with a floating point exception")


UNREADABLE = "every rank starts on the machine of mpiexec"


class IntelHostFile:
    """What `mpiexec -f` (or -hostfile) reads.

    Intel MPI's host file: names alone count.

    Each host gets as many ranks in a row as it has cores (I_MPI_PERHOST=allcores), or what `-ppn`
    says; the numbers behind a colon are read and not used.


    >>> IntelHostFile().read([Line(1, ("a:2",)), Line(2, ("b",))]).entries
    (Entry(host='a', slots=None, maximum=None), Entry(host='b', slots=None, maximum=None))
    """

    name = "intel"
    title = "Intel MPI, host file"
    again = True
    usage = "mpiexec -f {path} -n {processes} PROGRAM"

    def read(self, lines: Sequence[Line]) -> Reading:
        """Return the hosts in turn, each with the slots of its cores."""
        found = read_counts(lines, UNREADABLE)
        entries = tuple(msgspec.structs.replace(each, slots=None) for each in found.entries)
        ignored = any((each.slots or 1) > 1 for each in found.entries)
        remark = (
            "numbers and repeated lines do not count: give the file with -machinefile, or say -ppn"
        )
        remarks = (*found.remarks, *([remark] if ignored else []))
        return msgspec.structs.replace(found, entries=entries, remarks=remarks)


class IntelMachineFile:
    """What `mpiexec -machinefile` reads.

    Intel MPI's machine file: `HOST:N`, as Hydra's; there `-ppn` is not used.

    >>> lines = Line(1, ("a:2",)), Line(2, ("b:1",)), Line(3, ("a:1",))
    >>> IntelMachineFile().read(lines).entries[2].host
    'a'
    """

    name = "intel_machines"
    title = "Intel MPI, machine file"
    again = True
    usage = "mpiexec -machinefile {path} -n {processes} PROGRAM"

    def read(self, lines: Sequence[Line]) -> Reading:
        """Return the hosts in turn."""
        return read_counts(lines, UNREADABLE)


class SlurmHostFile:
    """What `srun --distribution=arbitrary` reads.

    Slurm's host file of the arbitrary distribution: a name a rank, `NAME*N` for N in a row.

    >>> SlurmHostFile().read([Line(1, ("b",)), Line(2, ("a*2,b",))]).given
    ('b', 'a', 'a', 'b')
    """

    name = "slurm"
    title = "Slurm, host file"
    again = False
    usage = "SLURM_HOSTFILE={path} srun --distribution=arbitrary -n {processes} PROGRAM"

    def read(self, lines: Sequence[Line]) -> Reading:
        """Return the host of each rank."""
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
                if not re.fullmatch(r"[\w.-]+", host) or (star and not count.isdigit()):
                    several = re.fullmatch(r"([\w.-]+):(\d+)", name)
                    cure = f", write {several[1]}*{several[2]}" if several else ""
                    where = f"line {line.number}"
                    return Reading(refused=f"{where}: {name} is no name of a node{cure}")
                given += [host] * (int(count) if star else 1)
        return Reading(
            given=tuple(given),
            remarks=tuple(remarks),
            entries=tuple(Entry(host=host, slots=n) for host, n in Counter(given).items()),
        )


READERS: tuple[Reader, ...] = (
    OpenMpiHostFile(),
    OpenMpiRankFile(),
    HydraHostFile(),
    IntelHostFile(),
    IntelMachineFile(),
    SlurmHostFile(),
)
