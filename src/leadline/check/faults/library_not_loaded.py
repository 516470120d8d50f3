"""Ranks that end before they begin, because the loader finds no library or too old a one."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from leadline.check.command import Command
from leadline.check.fault import Fault
from leadline.check.loader import missing_library, older_library
from leadline.check.observation import Observation

GRAVITY = 0
_LEADING = ("LD_PRELOAD", "LD_LIBRARY_PATH")


def find(seen: Observation, command: Command) -> Iterator[Fault]:
    """Tell of what the loader wrote."""
    if name := missing_library(seen.output):
        folder = seen.library_folder
        yield Fault(
            ranks=(),
            text=f"The program does not start: the loader finds no {name}.",
            evidence=(f"{name} is in {folder}",) if folder else (),
            fix=command.with_variable("LD_LIBRARY_PATH", folder)
            if folder
            else f"Load the module with which the program was built, or put the folder of {name} "
            "into LD_LIBRARY_PATH.",
        )
        return
    if older := older_library(seen.output):
        led = [name for name in _LEADING if command.sets(name)]
        library = PurePosixPath(older.path).name
        yield Fault(
            ranks=(),
            text=f"A rank does not start: {library} lacks {older.version}, which "
            f"{PurePosixPath(older.by).name} needs.",
            evidence=(f"the loader found {older.path}", f"{older.by} was built with another one"),
            fix=command.without_variables(led)
            if led
            else f"Put the folder of the {library} that belongs to {older.by} first into "
            "LD_LIBRARY_PATH.",
        )
