"""Whether ranks really ran where the order of ranks put them."""

from collections.abc import Hashable, Mapping

from leadline.model.placement import Placement
from leadline.model.run import Launch
from leadline.topology.rank_order.order import Order, node_of_each, ranks_text, smp


def asked_order(launch: Launch) -> Order:
    """Return the order that was asked for, spelt out."""
    placement = Placement(launch.nodes, launch.processes_per_node)
    return launch.asked_ranks_by_node or smp(placement)


def find_misplaced(launch: Launch) -> dict[int, str]:
    """Return what is wrong with each rank that ran elsewhere; nothing where ranks are not recorded.

    Ranks must share a node, as MPI sees nodes, with those that the order puts there; and where
    hosts were named and the ranks report the same names, be on that very host.
    """
    asked = dict(enumerate(node_of_each(asked_order(launch))))
    found = {place.rank: place.node for place in launch.ranks}
    if asked.keys() != found.keys():
        return {}
    together, wanted = _mates(found), _mates(asked)
    wrong = {
        rank: f"rank {rank} shares its node with {_format_ranks(together[rank], rank)} instead of "
        f"{_format_ranks(wanted[rank], rank)}"
        for rank in asked
        if together[rank] != wanted[rank]
    }
    hosts = {place.rank: _short(place.host) for place in launch.ranks}
    named = [_short(host) for host in launch.asked_hosts]
    if set(hosts.values()) <= set(named):
        for rank, node in asked.items():
            if hosts[rank] != named[node]:
                wrong.setdefault(rank, f"rank {rank} is on {hosts[rank]} instead of {named[node]}")
    return wrong


def _mates(nodes: Mapping[int, Hashable]) -> dict[int, frozenset[int]]:
    by_node: dict[Hashable, set[int]] = {}
    for rank, node in nodes.items():
        by_node.setdefault(node, set()).add(rank)
    return {rank: frozenset(by_node[node]) for rank, node in nodes.items()}


def _format_ranks(ranks: frozenset[int], rank: int) -> str:
    others = sorted(ranks - {rank})
    return ranks_text(others) if others else "nobody"


def _short(host: str) -> str:
    return host if host.replace(".", "").isdigit() else host.partition(".")[0]
