"""An order of ranks made for a communication matrix: those that talk share a node."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from leadline.core.extras import require
from leadline.model.placement import Placement
from leadline.topology.rank_order.order import Order, node_of_each, smp
from leadline.topology.rank_order.traffic import Traffic, leaving

# Weights of METIS are whole numbers.
_LARGEST_WEIGHT = 1_000_000
_MOST_ROUNDS = 20

_Links = list[dict[int, float]]


def optimise_order(traffic: Traffic, placement: Placement) -> Order:
    """Return the order in which the least traffic leaves the nodes, of those that are tried.

    METIS cuts the graph of ranks into nodes (G. Karypis and V. Kumar, SIAM J. Sci. Comput. 20,
    1998); parts that it leaves unequal are mended rank by rank, and swaps of two ranks that save
    traffic follow (B. Kernighan and S. Lin, Bell Syst. Tech. J. 49, 1970), from there and from
    consecutive ranks. So it is never worse than consecutive ranks.
    """
    links = _links(traffic, placement.processes)
    consecutive = smp(placement)
    candidates = [consecutive]
    for start in (_cut(links, placement), node_of_each(consecutive)):
        division = _Division(links, start, placement)
        division.make_equal()
        division.swap()
        candidates.append(division.order())
    return min(candidates, key=lambda order: sum(leaving(traffic, order)))


def _links(traffic: Traffic, ranks: int) -> _Links:
    links: list[dict[int, float]] = [defaultdict(float) for _ in range(ranks)]
    for (source, to), amount in traffic.items():
        if source != to:
            links[source][to] += amount
            links[to][source] += amount
    return [dict(each) for each in links]


def _cut(links: _Links, placement: Placement) -> list[int]:
    largest = max(max(each.values(), default=0.0) for each in links)
    if placement.nodes == 1 or largest == 0:
        return node_of_each(smp(placement))
    require("place")
    import pymetis

    scale = _LARGEST_WEIGHT / largest
    starts, others, weights = [0], [], []
    for each in links:
        others += list(each)
        weights += [max(1, round(amount * scale)) for amount in each.values()]
        starts.append(len(others))
    adjacency = pymetis.CSRAdjacency(starts, others)
    _, parts = pymetis.part_graph(placement.nodes, adjacency, eweights=weights, recursive=True)
    return list(parts)


class _Division:
    """Ranks divided among nodes, with what each rank exchanges with each node."""

    def __init__(self, links: _Links, nodes: Sequence[int], placement: Placement) -> None:
        self._links = links
        self._each = placement.processes_per_node
        self._node = list(nodes)
        self._members: list[set[int]] = [set() for _ in range(placement.nodes)]
        self._with: list[dict[int, float]] = [defaultdict(float) for _ in links]
        for rank, node in enumerate(nodes):
            self._members[node].add(rank)
            for other, amount in links[rank].items():
                self._with[other][node] += amount

    def make_equal(self) -> None:
        """Move ranks from nodes with too many to nodes with too few, the cheapest move first."""
        while any(len(ranks) > self._each for ranks in self._members):
            short = [to for to, ranks in enumerate(self._members) if len(ranks) < self._each]
            full = [ranks for ranks in self._members if len(ranks) > self._each]
            moves = ((rank, to) for ranks in full for rank in sorted(ranks) for to in short)
            self._move(*max(moves, key=lambda move: self._gain(*move)))

    def swap(self) -> None:
        """Swap ranks of two nodes as long as that saves traffic."""
        for _ in range(_MOST_ROUNDS):
            if not sum(self._swap_one(rank) for rank in range(len(self._node))):
                return

    def _swap_one(self, rank: int) -> bool:
        node, links = self._node[rank], self._links[rank]
        best, partner = 1e-9, -1
        for to in self._with[rank].keys() - {node}:
            rank_gain = self._gain(rank, to)
            for other in self._members[to]:
                gain = rank_gain + self._gain(other, node) - 2 * links.get(other, 0.0)
                if gain > best:
                    best, partner = gain, other
        if partner < 0:
            return False
        to = self._node[partner]
        self._move(rank, to)
        self._move(partner, node)
        return True

    def _gain(self, rank: int, to: int) -> float:
        """Return how much less leaves the nodes when `rank` moves `to` another one."""
        exchanged = self._with[rank]
        return exchanged.get(to, 0.0) - exchanged.get(self._node[rank], 0.0)

    def _move(self, rank: int, to: int) -> None:
        node = self._node[rank]
        self._members[node].remove(rank)
        self._members[to].add(rank)
        self._node[rank] = to
        for other, amount in self._links[rank].items():
            self._with[other][node] -= amount
            self._with[other][to] += amount

    def order(self) -> Order:
        """Return the ranks of each node; the node with the lowest rank comes first."""
        return tuple(sorted(tuple(sorted(ranks)) for ranks in self._members))
