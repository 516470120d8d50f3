"""One start of a parallel program: what a launcher turns into an argument list."""

import msgspec

from leadline.model.placement import Placement


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A program and where its ranks go.

    `hosts` is empty for the machine that leadline runs on; `remote_shell` is the program that
    starts a command on one of them as ssh does, or empty for the launcher's own choice. `launcher`
    names a launcher instead of the installation's own. `bind` asks for one core a rank.
    `oversubscribe` is only set where the user asked for it.

    `ranks_by_node` are the ranks of each node, in order; where it is empty, consecutive ranks fill
    one node after the other. `controls` are the MPI_T control variables that a knob sets, with the
    values that they must then have.
    """

    program: tuple[str, ...]
    placement: Placement
    transport: str = "mpi"
    hosts: tuple[str, ...] = ()
    remote_shell: str = ""
    bind: bool = True
    oversubscribe: bool = False
    environment: dict[str, str] = {}
    launcher: str = ""
    ranks_by_node: tuple[tuple[int, ...], ...] = ()
    controls: dict[str, str] = {}


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """What is really executed: the argument list, and the variables added to the environment."""

    argv: tuple[str, ...]
    environment: dict[str, str] = {}
