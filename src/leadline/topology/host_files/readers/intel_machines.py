"""Intel MPI's machine file: `HOST:N`, as Hydra's; there `-ppn` is not used."""

from collections.abc import Sequence

from leadline.topology.host_files.host_file import Line, Reading
from leadline.topology.host_files.readers.hydra import read_counts
from leadline.topology.host_files.readers.intel import UNREADABLE


class IntelMachineFile:
    """What `mpiexec -machinefile` reads.

    >>> READER.read([Line(1, ("a:2",)), Line(2, ("b:1",)), Line(3, ("a:1",))]).entries[2].host
    'a'
    """

    name = "intel_machines"
    title = "Intel MPI, machine file"
    order = 5
    again = True

    def command(self, path: str, processes: int) -> str:
        """Return how `mpiexec` takes it."""
        return f"mpiexec -machinefile {path} -n {processes} PROGRAM"

    def read(self, lines: Sequence[Line]) -> Reading:
        """Return the hosts in turn."""
        return read_counts(lines, UNREADABLE)


READER = IntelMachineFile()
