"""Cray's MPICH_RANK_ORDER, which `--order` reads too."""

from collections.abc import Sequence

from leadline.topology.rank_order.format import processes
from leadline.topology.rank_order.order import Order, ranks_text


class RankOrderFile:
    """A line for each node.

    >>> print(FORMAT.text(((0, 1, 2, 5), (4, 3, 6, 7)), ()), end="")
    0-2,5
    4,3,6,7
    """

    name = "mpich"
    summary = "Cray MPICH's MPICH_RANK_ORDER"
    names_hosts = False

    def text(self, order: Order, hosts: Sequence[str]) -> str:
        """Return the ranks of each node on a line of its own."""
        return "".join(f"{ranks_text(ranks)}\n" for ranks in order)

    def usage(self, order: Order, hosts: Sequence[str], path: str) -> str:
        """Return how Cray MPICH takes it."""
        return (
            f"MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE={path} "
            f"srun -n {processes(order)} PROGRAM"
        )


FORMAT = RankOrderFile()
