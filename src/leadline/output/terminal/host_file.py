"""What launchers make of a host file, in words."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from leadline.core.units import count
from leadline.topology.host_files.host_file import Answer, Entry, Explanation

# Longer lists of hosts are cut.
_MOST = 12


def heading(found: Explanation) -> str:
    """Return for whom a file looks written, and the question that was asked."""
    return f"{found.file}: written for {found.kind}; {count(found.processes, 'rank')}"


def rows(found: Explanation) -> Iterator[tuple[str, str, str]]:
    """Yield a row for each launcher."""
    for each in found.readings:
        slots = "-" if each.refused and not each.hosts else ", ".join(_cut(map(_slots, each.hosts)))
        yield each.title, slots, _ranks(each)


def remarks(found: Explanation) -> Iterator[str]:
    """Yield what is misread, and the command line of each launcher that takes the file."""
    for each in found.readings:
        yield from (f"{each.title}: {remark}" for remark in each.remarks)
    yield ""
    yield from dict.fromkeys(each.command for each in found.readings if not each.refused)


def _slots(entry: Entry) -> str:
    slots = "its cores" if entry.slots is None else str(entry.slots)
    return f"{entry.host} {slots}" + (f" (at most {entry.maximum})" if entry.maximum else "")


def _ranks(answer: Answer) -> str:
    if answer.refused:
        return f"refused: {answer.refused}"
    if not answer.ranks:
        return "as many a host as it has cores: say --cores"
    return ", ".join(_cut(_stretches(answer.ranks)))


def _stretches(ranks: Sequence[str]) -> Iterator[str]:
    """Yield where ranks go, those of one host that follow each other together.

    >>> list(_stretches(["a", "a", "b", "a"]))
    ['a 0-1', 'b 2', 'a 3']
    """
    first = 0
    for host, found in groupby(ranks):
        last = first + len(list(found)) - 1
        yield f"{host} {first}" + (f"-{last}" if last > first else "")
        first = last + 1


def _cut(words: Iterator[str]) -> list[str]:
    every = list(words)
    return every if len(every) <= _MOST else [*every[:_MOST], f"{len(every) - _MOST} more"]
