"""One start of a parallel program: what a launcher turns into an argument list."""

import msgspec

from leadline.model.hosts import Hosts
from leadline.model.placement import Placement


class Simulation(msgspec.Struct, frozen=True, kw_only=True):
    """A simulated machine for a job: the platform file's text, and the host of each node.

    `options` are those of the simulator, such as `network/crosstraffic:0`; the last one of a name
    holds.
    """

    platform: str
    text: str
    hosts: tuple[str, ...]
    options: tuple[str, ...] = ()


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A program and where its ranks go.

    `hosts` has no names for the machine that leadline runs on. `launcher` names a launcher instead
    of the installation's own. A job `elsewhere` has nodes and cores that its launcher or a batch
    system finds and counts. `bind` asks for one core a rank. `oversubscribe` is set where the user
    asked for it, and where hosts share fewer cores than there are ranks.

    `folder` is where the files of its start are put.

    `ranks_by_node` are the ranks of each node, in order; where it is empty, consecutive ranks fill
    one node after the other. `controls` are the MPI_T control variables that a knob sets, with the
    values that they must then have. `files` are those that the program's variables name, to
    be written into the folder before. `simulation` is the machine of a job that is simulated.
    `neighbour` is the congestor that disturbs the job from one of its own. `runtime` is set where
    the program preloads leadline's runtime, which must be built before.
    """

    program: tuple[str, ...]
    placement: Placement
    api: str = "mpi"
    hosts: Hosts = Hosts()
    bind: bool = True
    oversubscribe: bool = False
    environment: dict[str, str] = {}
    launcher: str = ""
    elsewhere: bool = False
    folder: str = ""
    ranks_by_node: tuple[tuple[int, ...], ...] = ()
    controls: dict[str, str] = {}
    files: dict[str, str] = {}
    neighbour: str = ""
    runtime: bool = False
    simulation: Simulation | None = None

    @property
    def nodes(self) -> tuple[str, ...]:
        """The host of each of its nodes, empty where hosts have no names."""
        return self.hosts.names[: self.placement.nodes]

    @property
    def is_bound(self) -> bool:
        """Whether each rank has a core of its own."""
        return self.bind and not self.oversubscribe


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """What is really executed: the argument list, and the variables added to the environment.

    `files` are those that launcher and program read, by name, to be written into the job's folder
    before. `launcher` is the launcher's name.
    """

    argv: tuple[str, ...]
    environment: dict[str, str] = {}
    files: dict[str, str] = {}
    launcher: str = ""
