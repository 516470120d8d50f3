"""Every process of the machine with the processor time that it has had, cheaply."""

import contextlib
import os
import pwd
from collections.abc import Iterator
from typing import NamedTuple

from leadline.site.hardware.files import Files

# The variable by which each process of a launch is known, wherever it went.
TAG = "LEADLINE_TAG"


class Seen(NamedTuple):
    """A process at one moment. `start` tells it from others that had its number before.

    `cpu_ticks` is processor time of all its threads, in ticks as `start` is since the machine came
    up; `running` tells whether its first thread has or wants a processor.
    """

    pid: int
    parent: int
    command: str
    start: int
    cpu_ticks: int
    running: bool


def processes(files: Files) -> Iterator[Seen]:
    """Yield the processes that /proc shows: one short file is read of each."""
    folder = files.root / "proc"
    with os.scandir(folder) as entries:
        names = [entry.name for entry in entries if entry.name.isdigit()]
    for name in names:
        # There may be thousands, and every microsecond is taken from somebody's core.
        try:
            descriptor = os.open(f"{folder}/{name}/stat", os.O_RDONLY)
        except OSError:  # gone since
            continue
        try:
            text = os.read(descriptor, 4096)
        except OSError:
            continue
        finally:
            os.close(descriptor)
        # The program's name may itself hold blanks and brackets.
        command, bracket, rest = text.partition(b"(")[2].rpartition(b")")
        fields = rest.split(None, 21)
        if bracket and len(fields) > 19:
            yield Seen(
                pid=int(name),
                parent=int(fields[1]),
                command=command.decode(errors="replace"),
                start=int(fields[19]),
                cpu_ticks=int(fields[11]) + int(fields[12]),
                running=fields[0] == b"R",
            )


def descendants(table: dict[int, Seen], of: int) -> set[int]:
    """Return the process `of` and all that it started, directly or not, by number."""
    children: dict[int, list[int]] = {}
    for process in table.values():
        children.setdefault(process.parent, []).append(process.pid)
    found, left = {of}, [of]
    while left:
        for child in children.get(left.pop(), ()):
            if child not in found:
                found.add(child)
                left.append(child)
    return found


def user_of(files: Files, pid: int) -> str:
    """Return the name of a process's user, its number where there is none, `?` once gone."""
    uid = files.owner(f"/proc/{pid}")
    if uid is None:
        return "?"
    with contextlib.suppress(KeyError):
        return pwd.getpwuid(uid).pw_name
    return str(uid)


def environment_has(files: Files, pid: int, variable: str) -> bool:
    """Tell whether a process was started with a variable, `NAME=VALUE`; not known is no."""
    return variable in (files.text(f"/proc/{pid}/environ") or "").split("\0")


def ticks_per_second() -> int:
    """Return how many ticks of processor time make a second."""
    return os.sysconf("SC_CLK_TCK")
