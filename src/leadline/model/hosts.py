"""Where ranks may go beside this machine."""

import re
from collections.abc import Iterator

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


def host_names(listed: str) -> Iterator[str]:
    """Yield the names that a list of Slurm's stands for.

    >>> list(host_names("login,n[1-3,09-10],r[0-1]c[0-1]"))
    ['login', 'n1', 'n2', 'n3', 'n09', 'n10', 'r0c0', 'r0c1', 'r1c0', 'r1c1']
    """
    for item in re.findall(r"(?:[^,\[]|\[[^\]]*\])+", listed):
        yield from _expand(item)


def _expand(item: str) -> Iterator[str]:
    found = re.fullmatch(r"([^\[]*)\[(\d[\d,-]*)\](.*)", item)
    if not found:
        yield item
        return
    before, numbers, after = found.groups()
    for number in numbers.split(","):
        first, _, last = number.partition("-")
        for each in range(int(first), int(last or first) + 1):
            for rest in _expand(after):
                yield f"{before}{each:0{len(first)}d}{rest}"
