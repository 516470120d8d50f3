"""Orders of ranks by name, and what can be asked of any order.

An order is a tuple for each node with its ranks, in the order in which they take its cores. Names
and numbers are those of MPICH_RANK_REORDER_METHOD (Cray, "MPI Placement", intro_mpi(3)).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from leadline.core.errors import UserError
from leadline.model.placement import Placement

Order = tuple[tuple[int, ...], ...]


def round_robin(placement: Placement) -> Order:
    """Deal the ranks to the nodes one by one.

    >>> round_robin(Placement(4, 2))
    ((0, 4), (1, 5), (2, 6), (3, 7))
    """
    nodes, processes = placement.nodes, placement.processes
    return tuple(tuple(range(node, processes, nodes)) for node in range(nodes))


def smp(placement: Placement) -> Order:
    """Fill one node after the other.

    >>> smp(Placement(4, 2))
    ((0, 1), (2, 3), (4, 5), (6, 7))
    """
    return dealt(range(placement.processes), placement)


def fold_order(placement: Placement) -> Order:
    """Deal the ranks to the nodes one by one, forth and back.

    >>> fold_order(Placement(4, 2))
    ((0, 7), (1, 6), (2, 5), (3, 4))
    """
    nodes = placement.nodes
    there_and_back = [*range(nodes), *reversed(range(nodes))]
    ranks: list[list[int]] = [[] for _ in range(nodes)]
    for rank in range(placement.processes):
        ranks[there_and_back[rank % (2 * nodes)]].append(rank)
    return tuple(map(tuple, ranks))


# In the order of their numbers.
NAMED: Mapping[str, Callable[[Placement], Order]] = {
    "round-robin": round_robin,
    "smp": smp,
    "folded": fold_order,
}


def dealt(ranks: Sequence[int], placement: Placement) -> Order:
    """Return the order in which the nodes take `ranks`, as many each as the placement says.

    >>> dealt([3, 1, 2, 0], Placement(2, 2))
    ((3, 1), (2, 0))
    """
    each = placement.processes_per_node
    return tuple(
        tuple(ranks[first : first + each]) for first in range(0, placement.processes, each)
    )


def check_order(ranks: Sequence[int], placement: Placement, source: str) -> Order:
    """Return the order of `ranks`, which `source` gives. Raises `UserError` where it is none."""
    count = placement.processes
    seen = Counter(ranks)
    problems = {
        f"beyond {count - 1}, the last": [rank for rank in seen if rank >= count],
        "there more than once": [rank for rank, times in seen.items() if times > 1],
        "missing": [rank for rank in range(count) if rank not in seen],
    }
    told = [f"{ranks_text(sorted(ranks))} {what}" for what, ranks in problems.items() if ranks]
    if told:
        raise UserError(
            f"{source} is no order of the {count} ranks of {placement}: ranks {'; '.join(told)}: "
            f"name each of 0 to {count - 1} once"
        )
    return dealt(ranks, placement)


def node_of_each(order: Order) -> list[int]:
    """Return the node of each rank.

    >>> node_of_each(((0, 3), (1, 2)))
    [0, 1, 1, 0]
    """
    nodes = {rank: node for node, ranks in enumerate(order) for rank in ranks}
    return [nodes[rank] for rank in range(len(nodes))]


def cycle(order: Order) -> tuple[list[int], int] | None:
    """Return the nodes in turn and the block of ranks that each takes at a turn.

    None where the order is not of that kind.

    >>> cycle(((2, 3, 6, 7), (0, 1, 4, 5)))
    ([1, 0], 2)
    >>> cycle(((0, 3), (1, 2))) is None
    True
    """
    nodes = node_of_each(order)
    block = next((rank for rank, node in enumerate(nodes) if node != nodes[0]), len(nodes))
    turn = list(dict.fromkeys(nodes))
    dealt_in_turn = [turn[rank // block % len(turn)] for rank in range(len(nodes))]
    return (turn, block) if dealt_in_turn == nodes else None


def ranks_text(ranks: Sequence[int]) -> str:
    """Return ranks as a reorder file has them: runs of three and more as ranges.

    >>> ranks_text([0, 1, 2, 3, 9, 7, 6, 5, 4])
    '0-3,9,7-4'
    """
    words: list[str] = []
    first = 0
    while first < len(ranks):
        last = first
        step = ranks[first + 1] - ranks[first] if first + 1 < len(ranks) else 0
        while abs(step) == 1 and last + 1 < len(ranks) and ranks[last + 1] - ranks[last] == step:
            last += 1
        if last - first < 2:
            last = first
        words.append(f"{ranks[first]}" + (f"-{ranks[last]}" if last > first else ""))
        first = last + 1
    return ",".join(words)
