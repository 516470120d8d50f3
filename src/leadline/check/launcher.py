"""What every launcher is to a check: how its ranks are known, and how its options are spelled."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Protocol

from leadline.core.plugins import plugins


class Launcher(Protocol):
    """One file each in `leadline.check.launchers`, found by its `LAUNCHER`.

    `order` says when it is asked: whose ranks also have the variables of another come before it.
    `families` are the MPIs whose ranks find each other under it. `rank` and `size` are the
    variables that it gives to each rank. `programs` are the names under which people start it.
    `binding` are its options about cores, each with the number of words after it; `variables` do
    the same. `winning` are those of them that win over its options.
    """

    name: str
    title: str
    order: int
    families: tuple[str, ...]
    rank: tuple[str, ...]
    size: tuple[str, ...]
    programs: tuple[str, ...]
    binding: Mapping[str, int]
    variables: tuple[str, ...]
    winning: tuple[str, ...]

    def started(self, environment: Mapping[str, str], parents: Sequence[str]) -> bool:
        """Tell whether it started the process with this environment, below these programs."""

    def serves(self, environment: Mapping[str, str]) -> bool:
        """Tell whether it told the process how to find the other ranks."""

    def bound(self, cores: int) -> tuple[str, ...]:
        """Return the options that give each rank so many cores of its own."""

    def given(self, name: str, value: str) -> tuple[str, ...]:
        """Return the options that give a variable to the ranks."""


@cache
def launchers() -> tuple[Launcher, ...]:
    """Return every launcher, in the order in which they are asked."""
    found: list[Launcher] = plugins("leadline.check.launchers", "LAUNCHER")
    return tuple(sorted(found, key=lambda each: (each.order, each.name)))


def launcher_of(environment: Mapping[str, str], parents: Sequence[str]) -> Launcher | None:
    """Return the launcher that numbered a process, None where none did."""
    return next((each for each in launchers() if each.started(environment, parents)), None)


def named(name: str) -> Launcher | None:
    """Return the launcher of that name."""
    return next((each for each in launchers() if each.name == name), None)


def number(environment: Mapping[str, str], names: Sequence[str]) -> int | None:
    """Return the whole number that the first of the variables has, or None."""
    texts = (environment[name] for name in names if environment.get(name, "").isdigit())
    return next(map(int, texts), None)
