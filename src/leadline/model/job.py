"""One start of a parallel program: what a launcher turns into an argument list."""

import msgspec

from leadline.model.placement import Placement


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A program and where its ranks go.

    `hosts` is empty for the machine that leadline runs on; `remote_shell` is the program that
    starts a command on one of them as ssh does, or empty for the launcher's own choice. `bind`
    asks for one core a rank. `oversubscribe` is only set where the user asked for it.
    """

    program: tuple[str, ...]
    placement: Placement
    transport: str = "mpi"
    hosts: tuple[str, ...] = ()
    remote_shell: str = ""
    bind: bool = True
    oversubscribe: bool = False
    environment: dict[str, str] = {}


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """What is really executed: the argument list, and the variables added to the environment."""

    argv: tuple[str, ...]
    environment: dict[str, str] = {}
