"""Orders of ranks: by name or in a file, and whether ranks ran where their order puts them."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from leadline.core.errors import UserError
from leadline.core.names import by_numbers
from leadline.model.placement import Placement
from leadline.topology.host_file import parse_lines
from leadline.topology.host_file_readers import Line, read_openmpi_ranks

if TYPE_CHECKING:
    from leadline.model.run import Launch

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
    faults = [f"{ranks_text(sorted(ranks))} {what}" for what, ranks in problems.items() if ranks]
    if faults:
        raise UserError(
            f"{source} is no order of the {count} ranks of {placement}: ranks {'; '.join(faults)}: "
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


# What method 3 of MPICH_RANK_REORDER_METHOD reads.
DEFAULT_FILE = "MPICH_RANK_ORDER"
_METHODS = {**{str(number): name for number, name in enumerate(NAMED)}, "3": DEFAULT_FILE}
_WORD = re.compile(r"(\d{1,7})(?:-(\d{1,7}))?")
_MOST_RANKS = 1 << 22


def parse_ranks(text: str, source: str) -> list[int]:
    r"""Return the ranks that `text` lists: numbers and ranges, separated by commas or line ends.

    A range may descend; `#` begins a comment. The first ranks go to the first node.

    >>> parse_ranks("0-2,7 # the first node\n6-3", "text")
    [0, 1, 2, 7, 6, 5, 4, 3]

    Raises `UserError` that names `source`, the line and the word which cannot be read.
    """
    ranks: list[int] = []
    for number, line in enumerate(text.splitlines(), 1):
        for word in line.partition("#")[0].replace(",", " ").split():
            match = _WORD.fullmatch(word)
            if not match:
                raise UserError(
                    f"{source}, line {number}: {word!r} is no rank: write ranks and ranges with "
                    "commas, such as 0,4-7,3-1"
                )
            first, last = int(match[1]), int(match[2] or match[1])
            if len(ranks) + abs(last - first) >= _MOST_RANKS:
                raise UserError(f"{source}, line {number}: more than {_MOST_RANKS} ranks")
            step = 1 if last >= first else -1
            ranks += range(first, last + step, step)
    if not ranks:
        raise UserError(f"{source} names no rank: write ranks and ranges, such as 0,4-7,3-1")
    return ranks


def read_ranks(path: str) -> tuple[int, ...]:
    """Return the ranks in the file `path`, which is read once. Raises `UserError`."""
    return _read(path, Path.cwd())


@cache
def _read(path: str, folder: Path) -> tuple[int, ...]:
    try:
        text = (folder / path).read_text()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not text"
        raise UserError(
            f"order {path!r} cannot be read ({reason}): take {', '.join(NAMED)} (or 0, 1, 2), or "
            f"a file of ranks (3 is {DEFAULT_FILE})"
        ) from error
    lines = tuple(parse_lines(text))
    if any(line.host == "rank" for line in lines):
        return tuple(_of_rank_file(lines, path))
    return tuple(parse_ranks(text, path))


def _of_rank_file(lines: Sequence[Line], path: str) -> list[int]:
    """Return the ranks of each host of Open MPI's rank file, hosts in the order of their names."""
    reading = read_openmpi_ranks(lines)
    if reading.refused:
        raise UserError(f"{path} is a rank file of Open MPI, and cannot be read: {reading.refused}")
    ranks: dict[str, list[int]] = {}
    for rank, host in enumerate(reading.given):
        ranks.setdefault(host, []).append(rank)
    if len({len(each) for each in ranks.values()}) > 1:
        told = ", ".join(f"{len(each)} on {host}" for host, each in ranks.items())
        raise UserError(f"{path} has {told}: an order has as many ranks on each host")
    return [rank for host in sorted(ranks, key=by_numbers) for rank in ranks[host]]


def canonical(text: str) -> str:
    """Return the name of the order that `text` means, by name, number or file.

    Raises `UserError` for a file that cannot be read.
    """
    name = _METHODS.get(text, text)
    if name not in NAMED:
        read_ranks(name)
    return name


def order_for(text: str, placement: Placement) -> Order:
    """Return the order called `text` for a placement. Raises `UserError`."""
    name = _METHODS.get(text, text)
    return (
        NAMED[name](placement) if name in NAMED else check_order(read_ranks(name), placement, name)
    )


def requested_order(launch: "Launch") -> Order:
    """Return the requested ranks of each node: consecutive ones where no order was requested."""
    placement = Placement(launch.nodes, launch.processes_per_node)
    return launch.asked_ranks_by_node or smp(placement)


def find_misplaced(launch: "Launch") -> dict[int, str]:
    """Return what is wrong with each rank that ran elsewhere; nothing where ranks are not recorded.

    Ranks must share a node, as MPI sees nodes, with those that the order puts there; and where
    hosts were named and the ranks report the same names, be on that very host.
    """
    requested = dict(enumerate(node_of_each(requested_order(launch))))
    found = {place.rank: place.node for place in launch.ranks}
    if requested.keys() != found.keys():
        return {}
    together, wanted = _mates(found), _mates(requested)
    wrong = {
        rank: f"rank {rank} shares its node with {_format_ranks(together[rank], rank)} instead of "
        f"{_format_ranks(wanted[rank], rank)}"
        for rank in requested
        if together[rank] != wanted[rank]
    }
    hosts = {place.rank: _short(place.host) for place in launch.ranks}
    named = [_short(host) for host in launch.asked_hosts]
    if set(hosts.values()) <= set(named):
        for rank, node in requested.items():
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
