"""How the nodes of machines are joined: what every topology is, and the table of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from leadline.core.errors import UserError
from leadline.core.names import suggestion
from leadline.model.platform import Graph, Platform
from leadline.topology.platforms.topologies.dragonfly import DragonflyTopology
from leadline.topology.platforms.topologies.fat_tree import FatTree
from leadline.topology.platforms.topologies.islands import Islands
from leadline.topology.platforms.topologies.single_switch import Bus, Crossbar
from leadline.topology.platforms.topologies.torus import Torus

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Topology(Protocol):
    """How the nodes of a machine are joined."""

    @property
    def kind(self) -> str:
        """The name that `topology.kind` of a platform knows it by."""

    def usual(self, nodes: int) -> dict[str, Any]:
        """Return what a platform's topology holds for a usual machine of so many nodes.

        Raises `UserError` where there is none of that size.
        """

    def graph(self, platform: Platform) -> Graph:
        """Return the nodes, switches and links of the machine. Raises `UserError`."""

    def onward(self, platform: Platform, at: NDArray[Any], target: NDArray[Any]) -> NDArray[Any]:
        """Return the edges of the graph, by number, that messages take next.

        They are at the vertices `at`, and on their way to the nodes `target`, of the same shape.
        Where one has arrived, any edge will do.
        """

    def zone(self, platform: Platform, used: int) -> str:
        """Return the machine as the elements of a SimGrid platform (version 4.1) within its zone.

        Its hosts are called as the graph's nodes; messages will be sent between the first `used` of
        them. Raises `UserError`.
        """


TOPOLOGIES: tuple[Topology, ...] = (
    Bus(),
    Crossbar(),
    DragonflyTopology(),
    FatTree(),
    Islands(),
    Torus(),
)


def topology_of(platform: Platform) -> Topology:
    """Return the topology that the platform names. Raises `UserError` for one that is unknown."""
    try:
        return topology_called(platform.topology.get("kind", ""))
    except UserError as error:
        raise UserError(f"platform {platform.name}: {error}") from None


def topology_called(kind: str) -> Topology:
    """Return the topology of that kind. Raises `UserError` for one that is unknown."""
    for each in TOPOLOGIES:
        if each.kind == kind:
            return each
    hint = suggestion(kind, [each.kind for each in TOPOLOGIES])
    raise UserError(f"no topology {kind!r}: {hint}")
