"""Hosts that are not named one by one: a batch job's, or a cluster's."""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from leadline.core.errors import UserError
from leadline.core.plugins import plugins_of_folders
from leadline.model.hosts import Hosts

_SYSTEMS = "leadline.site.schedulers"


class Allocation(Protocol):
    """A source of hosts. One file each, found by its `ALLOCATION`."""

    @property
    def name(self) -> str:
        """The word that stands for it in `--hosts`."""

    def find(self) -> Hosts:
        """Return its hosts as they are now. Raises `UserError` where there are none."""


def hosts_for(words: Sequence[str], remote_shell: str) -> Hosts:
    """Return the hosts that `--hosts` and `--remote-shell` ask for.

    An allocation's name stands for all its hosts; `NAME:HOST` and the words after it for these of
    them, in that order. Raises `UserError` where an allocation is named beside other hosts, or has
    none, or not those.
    """
    for allocation in plugins_of_folders(_SYSTEMS, "allocation", "ALLOCATION"):
        chosen = _parse_choice(allocation.name, words)
        if allocation.name not in words and not chosen:
            continue
        if len(words) > 1 and not chosen:
            raise UserError(
                f"hosts {','.join(words)}: {allocation.name} stands for all hosts of an "
                f"allocation, so name it alone or name hosts one by one"
            )
        found: Hosts = allocation.find()
        found = _restrict(found, chosen, allocation.name) if chosen else found
        return msgspec.structs.replace(found, remote_shell=remote_shell or found.remote_shell)
    return Hosts(names=tuple(words), remote_shell=remote_shell)


def _parse_choice(name: str, words: Sequence[str]) -> tuple[str, ...]:
    """Return the hosts that are chosen of the allocation `name`, none where it is not named so."""
    allocation, colon, first = words[0].partition(":") if words else ("", "", "")
    return (first, *words[1:]) if colon and allocation == name else ()


def _restrict(found: Hosts, chosen: tuple[str, ...], allocation: str) -> Hosts:
    for name in chosen:
        if name not in found.names:
            raise UserError(f"host {name} is not of {allocation}: it has {', '.join(found.names)}")
        if chosen.count(name) > 1:
            raise UserError(f"host {name} is named twice")
    cores = dict(zip(found.names, found.cores, strict=False))
    return msgspec.structs.replace(
        found, names=chosen, cores=tuple(cores[name] for name in chosen if name in cores)
    )
