"""What every format is: the interface of the objects in `leadline.topology.rank_order.formats`."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Protocol

from leadline.core.plugins import plugins
from leadline.topology.rank_order.order import Order


class Format(Protocol):
    """A launcher's file for an order of ranks. One file each, found by its `FORMAT`."""

    @property
    def name(self) -> str:
        """The name of the module."""

    @property
    def summary(self) -> str:
        """Whose file it is, in a few words."""

    @property
    def names_hosts(self) -> bool:
        """Whether the file holds the names of the hosts."""

    def text(self, order: Order, hosts: Sequence[str]) -> str:
        """Return the file's content. `hosts` are the nodes; empty only without `names_hosts`."""

    def usage(self, order: Order, hosts: Sequence[str], path: str) -> str:
        """Return the command line that uses the file at `path`; PROGRAM stands for the program."""


@cache
def formats() -> Mapping[str, Format]:
    """Return every format by name."""
    return {each.name: each for each in plugins("leadline.topology.rank_order.formats", "FORMAT")}


def processes(order: Order) -> int:
    """Return how many ranks an order has."""
    return sum(map(len, order))
