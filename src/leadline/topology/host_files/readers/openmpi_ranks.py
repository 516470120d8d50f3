"""Open MPI's rank file: `rank N=HOST slot=CORES`, each rank's host and cores."""

import re
from collections import Counter
from collections.abc import Sequence

from leadline.topology.host_files.host_file import Entry, Line, Reading

_LINE = re.compile(r"rank (\d+)=(\S+) slots?=(\S+)")


class OpenMpiRankFile:
    """What `mpirun --rankfile` (5: `--map-by rankfile:file=`) reads.

    >>> READER.read([Line(1, ("rank", "1=b", "slot=0")), Line(2, ("rank", "0=a", "slot=0"))]).given
    ('a', 'b')
    """

    name = "openmpi_ranks"
    title = "Open MPI 4 and 5, rank file"
    order = 2
    again = False

    def command(self, path: str, processes: int) -> str:
        """Return how `mpirun` of Open MPI 5 takes it; 4 wants `--rankfile`."""
        return f"mpirun --map-by rankfile:file={path} -n {processes} PROGRAM"

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


READER = OpenMpiRankFile()
