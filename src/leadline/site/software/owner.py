"""Whose a file is: the packages of a system, of Python, of Spack, of conda."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, Protocol

from leadline.core.plugins import plugins
from leadline.site.software.host import Host


class Package(NamedTuple):
    """A package by its name and version, and what manages it."""

    name: str
    version: str
    manager: str


class Owner(Protocol):
    """One way to install packages. One file each, found by its `OWNER`; lower `order` first."""

    order: int

    def find(self, files: Sequence[Path], here: Host) -> dict[Path, Package]:
        """Return the packages of those files, which are real files, that came in one."""


@cache
def owners() -> tuple[Owner, ...]:
    """Return every owner, in the order in which they are asked."""
    found: list[Owner] = plugins("leadline.site.software.owners", "OWNER")
    return tuple(sorted(found, key=lambda owner: owner.order))


def packages(files: Sequence[Path], here: Host) -> dict[Path, Package]:
    """Return the package of each file that came in one; the first who knows a file is right."""
    found: dict[Path, Package] = {}
    for owner in owners():
        if rest := [file for file in files if file not in found]:
            found |= owner.find(rest, here)
    return found
