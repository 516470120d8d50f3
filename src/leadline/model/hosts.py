"""Where ranks may go beside this machine."""

import msgspec


class Hosts(msgspec.Struct, frozen=True, kw_only=True):
    """Hosts, and how to reach them; without names this machine alone.

    `cores` holds for each host how many it has, or is empty where that is not known. `remote_shell`
    starts a command on a host as ssh does, or is empty for the launcher's own choice. `prefix` is
    put before the launcher. `interface` is the network interface to use, or empty. `shared_cores`
    is the number of real cores that all hosts share, 0 where each has its own; `pin`, put before
    the program, then gives each rank one of them that no other rank has. `bootstrap` is the
    resource manager that starts processes on the hosts where there is no remote shell, or empty.
    """

    names: tuple[str, ...] = ()
    cores: tuple[int, ...] = ()
    remote_shell: str = ""
    prefix: tuple[str, ...] = ()
    interface: str = ""
    shared_cores: int = 0
    pin: tuple[str, ...] = ()
    bootstrap: str = ""
