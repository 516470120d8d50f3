"""MPICH's host file: `HOST:N`, which its launcher Hydra fills one after the other, again and again.

Lines of one host that follow each other are one; a host that comes back later is visited twice.
"""

import re
from collections.abc import Sequence

from leadline.topology.host_files.host_file import Entry, Line, Reading, joined

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

    >>> READER.read([Line(1, ("a:2",)), Line(2, ("b",)), Line(3, ("b",))]).entries
    (Entry(host='a', slots=2, maximum=None), Entry(host='b', slots=2, maximum=None))
    """

    name = "hydra"
    title = "MPICH (Hydra), host file"
    order = 3
    again = True

    def command(self, path: str, processes: int) -> str:
        """Return how `mpiexec` takes it."""
        return f"mpiexec -f {path} -n {processes} PROGRAM"

    def read(self, lines: Sequence[Line]) -> Reading:
        """Return the hosts in turn."""
        return read_counts(lines, "mpiexec may end with a floating point exception")


READER = HydraHostFile()
