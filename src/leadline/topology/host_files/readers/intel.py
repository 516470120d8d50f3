"""Intel MPI's host file: names alone count.

Each host gets as many ranks in a row as it has cores (I_MPI_PERHOST=allcores), or what `-ppn` says;
the numbers behind a colon are read and not used.
"""

from collections.abc import Sequence

import msgspec

from leadline.topology.host_files.host_file import Line, Reading
from leadline.topology.host_files.readers.hydra import read_counts

UNREADABLE = "every rank starts on the machine of mpiexec"


class IntelHostFile:
    """What `mpiexec -f` (or -hostfile) reads.

    >>> READER.read([Line(1, ("a:2",)), Line(2, ("b",))]).entries
    (Entry(host='a', slots=None, maximum=None), Entry(host='b', slots=None, maximum=None))
    """

    name = "intel"
    title = "Intel MPI, host file"
    order = 4
    again = True

    def command(self, path: str, processes: int) -> str:
        """Return how `mpiexec` takes it."""
        return f"mpiexec -f {path} -n {processes} PROGRAM"

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


READER = IntelHostFile()
