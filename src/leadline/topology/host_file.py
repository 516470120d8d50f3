"""What every reader of host files is, and what it makes of one."""

import re
from collections.abc import Iterator, Sequence
from itertools import cycle, islice

import msgspec

from leadline.core.errors import UserError
from leadline.topology.host_file_readers import READERS, Entry, Line, Reader, Reading


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What one launcher would do with a file.

    `slots` are those in all, None where a host's cores count and are not known; `ranks` the host of
    each rank, empty where it is `refused` or cannot be told.
    """

    reader: str
    title: str
    command: str
    hosts: tuple[Entry, ...]
    slots: int | None
    ranks: tuple[str, ...]
    refused: str
    remarks: tuple[str, ...]


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """A host file: for whom it looks written, and what each launcher would do with it."""

    file: str
    kind: str
    processes: int
    cores: int | None
    readings: tuple[Answer, ...]


def explain(text: str, file: str, processes: int | None, cores: int | None) -> Explanation:
    """Return what each launcher would do with `processes` ranks on hosts of `cores` cores.

    Without a number as many as the lines name. Raises `UserError` for a file without hosts.
    """
    lines = tuple(parse_lines(text))
    if not lines:
        raise UserError(f"{file} names no host: write one a line")
    count = processes or count_slots(lines)
    return Explanation(
        file=file,
        kind=describe_kind(lines),
        processes=count,
        cores=cores,
        readings=tuple(
            _answer(reader, reading, file, count, cores)
            for reader in READERS
            if not (reading := reader.read(lines)).foreign
        ),
    )


def parse_lines(text: str) -> Iterator[Line]:
    """Yield the lines of a file."""
    for number, line in enumerate(text.splitlines(), 1):
        if words := re.sub(r"\s*=\s*", "=", line.partition("#")[0]).split():
            yield Line(number, tuple(words))


def describe_kind(lines: Sequence[Line]) -> str:
    """Return for whom a file looks written.

    >>> describe_kind([Line(1, ("a:4",))])
    'MPICH or Intel MPI (HOST:N)'
    """
    if any(line.host == "rank" for line in lines):
        return "Open MPI, a rank file"
    if any("=" in word for line in lines for word in line.words):
        return "Open MPI (slots=)"
    if any(line.host.count(":") == 2 for line in lines):
        return "MVAPICH (HOST:N:ADAPTER)"
    if any(":" in line.host for line in lines):
        return "MPICH or Intel MPI (HOST:N)"
    if len({line.host for line in lines}) < len(lines):
        return "a line for each slot (PBS) or each rank (Slurm)"
    return "names alone"


_COUNT = re.compile(r":(\d{1,6})\b|\b(?:slots|count|cpu)=(\d{1,6})\b", re.ASCII)


def count_slots(lines: Sequence[Line]) -> int:
    """Return how many processes a file asks for in anybody's words.

    >>> count_slots([Line(1, ("a:4",)), Line(2, ("b", "slots=2")), Line(3, ("c",))])
    7
    """
    found = 0
    for line in lines:
        words = " ".join(line.words)
        # The slots of a rank file are cores.
        number = None if line.host == "rank" else _COUNT.search(words)
        found += int(number[1] or number[2]) if number else 1
    return max(1, found)


def _answer(
    reader: Reader, reading: Reading, file: str, processes: int, cores: int | None
) -> Answer:
    known = [cores if each.slots is None else each.slots for each in reading.entries]
    total = None if None in known else sum(filter(None, known))
    refused, ranks = reading.refused, reading.given[:processes]
    if not refused and cores is not None and reading.cores > cores:
        refused, ranks = f"core {reading.cores - 1}, and a host has {cores}", ()
    if not refused and not ranks and total is not None:
        turns = [e.host for e, n in zip(reading.entries, known, strict=True) for _ in range(n or 0)]
        if total < processes and not (reader.again and total):
            refused = f"{processes} processes, and {total} slots"
        else:
            ranks = tuple(islice(cycle(turns), processes))
    elif not refused and reading.given and len(reading.given) < processes:
        refused, ranks = f"{processes} processes, and hosts for {len(reading.given)}", ()
    return Answer(
        reader=reader.name,
        title=reader.title,
        command=reader.usage.format(path=file, processes=processes),
        hosts=reading.entries,
        slots=len(reading.given) if reading.given else total,
        ranks=() if refused else ranks,
        refused=refused,
        remarks=reading.remarks,
    )
