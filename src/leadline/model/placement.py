"""How many nodes, and how many processes on each."""

import re

import msgspec

from leadline.core.errors import UserError


class Placement(msgspec.Struct, frozen=True, order=True):
    """`NODESxPROCESSES_PER_NODE`: `1x2` is inside a node, `2x1` across two."""

    nodes: int
    processes_per_node: int

    @property
    def processes(self) -> int:
        """The number of ranks in all."""
        return self.nodes * self.processes_per_node

    def __str__(self) -> str:
        return f"{self.nodes}x{self.processes_per_node}"


def parse_placement(text: str) -> Placement:
    """Return the placement written as `NODESxPROCESSES`.

    >>> str(parse_placement("1x2"))
    '1x2'

    Raises `UserError` for anything that is not two positive whole numbers.
    """
    match = re.fullmatch(r"([1-9]\d{0,6})x([1-9]\d{0,6})", text.strip())
    if not match:
        raise UserError(
            f"placement {text!r} is not NODESxPROCESSES_PER_NODE: write 1x2 for two processes "
            "on one node, 2x1 for one on each of two"
        )
    return Placement(int(match[1]), int(match[2]))
