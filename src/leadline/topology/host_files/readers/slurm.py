"""Slurm's host file of the arbitrary distribution: a name a rank, `NAME*N` for N in a row."""

import re
from collections import Counter
from collections.abc import Sequence

from leadline.topology.host_files.host_file import Entry, Line, Reading


class SlurmHostFile:
    """What `srun --distribution=arbitrary` reads.

    >>> READER.read([Line(1, ("b",)), Line(2, ("a*2,b",))]).given
    ('b', 'a', 'a', 'b')
    """

    name = "slurm"
    title = "Slurm, host file"
    order = 6
    again = False

    def command(self, path: str, processes: int) -> str:
        """Return how `srun` takes it."""
        return f"SLURM_HOSTFILE={path} srun --distribution=arbitrary -n {processes} PROGRAM"

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


READER = SlurmHostFile()
