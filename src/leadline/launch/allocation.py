"""Hosts that are not named one by one: a batch job's, or a cluster's."""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from leadline.errors import UserError
from leadline.model.hosts import Hosts
from leadline.plugins import plugins


class Allocation(Protocol):
    """A source of hosts. One file each, found by its `ALLOCATION`."""

    @property
    def name(self) -> str:
        """The word that stands for it in `--hosts`."""

    def find(self) -> Hosts:
        """Return its hosts as they are now. Raises `UserError` where there are none."""


def hosts_for(words: Sequence[str], remote_shell: str) -> Hosts:
    """Return the hosts that `--hosts` and `--remote-shell` ask for.

    Raises `UserError` where an allocation is named beside other hosts, or has none.
    """
    for allocation in plugins("leadline.launch.allocations", "ALLOCATION"):
        if allocation.name not in words:
            continue
        if len(words) > 1:
            raise UserError(
                f"hosts {','.join(words)}: {allocation.name} stands for all hosts of an "
                f"allocation, so name it alone or name hosts one by one"
            )
        found: Hosts = allocation.find()
        return msgspec.structs.replace(found, remote_shell=remote_shell or found.remote_shell)
    return Hosts(names=tuple(words), remote_shell=remote_shell)
