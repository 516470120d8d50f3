"""What every source of jobs and nodes is, and which one there is here."""

from typing import Protocol

from leadline.core.errors import UserError
from leadline.core.plugins import plugins_of_folders
from leadline.model.jobs import Job, Node

_SYSTEMS = "leadline.site.schedulers"


class NoAnswer(Exception):
    """The system does not answer now. Its text is one line that says which one, and why."""


class Source(Protocol):
    """A system that knows jobs and nodes. One file each, found by its `SOURCE`."""

    @property
    def name(self) -> str:
        """The word that stands for it in `--system`."""

    @property
    def order(self) -> int:
        """Its place among the sources: of those that are here, the first is asked."""

    def here(self) -> bool:
        """Tell whether this machine has it, without asking it."""

    def jobs(self) -> tuple[Job, ...]:
        """Return the jobs that run or wait: those that run first, then those that wait in turn.

        Raises `NoAnswer`.
        """

    def nodes(self) -> tuple[Node, ...]:
        """Return all nodes, in the system's order. Raises `NoAnswer`."""


def sources() -> list[Source]:
    """Return every source, those to be asked first in front."""
    found: list[Source] = plugins_of_folders(_SYSTEMS, "jobs", "SOURCE")
    return sorted(found, key=lambda source: source.order)


def source(name: str = "") -> Source:
    """Return the source called `name`, or the first that is here where none is named.

    Raises `UserError` where there is none of that name.
    """
    known = sources()
    for each in known:
        if each.name == name if name else each.here():
            return each
    raise UserError(f"no system {name!r}: there is {', '.join(each.name for each in known)}")
