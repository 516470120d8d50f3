"""Where ranks go, for people: an order of ranks, and what launchers make of a host file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from leadline.core.units import count
from leadline.output.table import Column, table_of
from leadline.output.terminal.table import lines
from leadline.topology.host_file import Answer, Explanation
from leadline.topology.host_file_readers import Entry
from leadline.topology.rank_order.order import node_of_each, ranks_text
from leadline.topology.rank_order.proposal import Proposal, Sent

_WIDEST = 100
_MOST_NODES = 64


def drawn(proposal: Proposal, position_of_rank: list[tuple[int, ...]] | None) -> Iterator[str]:
    """Yield the lines of the order: a node a line, then the grid with the node of each rank.

    `position_of_rank` is where each rank is on the proposal's grid, None where there is none.
    """
    yield f"order {proposal.order} on {proposal.place}"
    yield ""
    yield from _table(proposal)
    if position_of_rank and len(proposal.grid) == 2:
        yield from _map(proposal, position_of_rank)
    yield ""
    yield f"{proposal.traffic}:"
    yield f"  {proposal.order}: {_words(proposal.sent, proposal.unit)}"
    if proposal.order != "smp":
        yield f"  smp: {_words(proposal.sent_smp, proposal.unit)}"


def _table(proposal: Proposal) -> Iterator[str]:
    hosts = [f" {host}" for host in proposal.hosts] or [""] * len(proposal.nodes)
    rows = [
        (f"{node}{hosts[node]}", ranks_text(ranks), amount)
        for node, (ranks, amount) in enumerate(
            zip(proposal.nodes, proposal.sent.leaving_by_node, strict=True)
        )
    ]
    amounts = Column(f"{proposal.unit} to others", ".10g")
    yield from lines(table_of(("node", "ranks", amounts), rows[:_MOST_NODES]))[1:]
    if len(rows) > _MOST_NODES:
        yield f"and {len(rows) - _MOST_NODES} more nodes (--json has all)"


def _map(proposal: Proposal, position_of_rank: list[tuple[int, ...]]) -> Iterator[str]:
    rows, columns = proposal.grid
    width = len(str(len(proposal.nodes) - 1))
    if columns * (width + 1) > _WIDEST:
        return
    nodes = node_of_each(proposal.nodes)
    at = {position: nodes[rank] for rank, position in enumerate(position_of_rank)}
    yield ""
    yield "the node of each rank on the grid:"
    for row in range(rows):
        yield " ".join(f"{at[row, column]:>{width}}" for column in range(columns))


def _words(sent: Sent, unit: str) -> str:
    amount = unit if unit == "messages" else "of it"
    return f"{sent.leaving:.10g} {amount} leave nodes, {sent.busiest:.10g} from the busiest"


# Longer lists of hosts are cut.
_MOST = 12


def heading(found: Explanation) -> str:
    """Return for whom a file looks written, and the question that was asked."""
    return f"{found.file}: written for {found.kind}; {count(found.processes, 'rank')}"


def rows(found: Explanation) -> Iterator[tuple[str, str, str]]:
    """Yield a row for each launcher."""
    for each in found.readings:
        slots = "-" if each.refused and not each.hosts else ", ".join(_cut(map(_slots, each.hosts)))
        yield each.title, slots, _ranks(each)


def remarks(found: Explanation) -> Iterator[str]:
    """Yield what is misread, and the command line of each launcher that takes the file."""
    for each in found.readings:
        yield from (f"{each.title}: {remark}" for remark in each.remarks)
    yield ""
    yield from dict.fromkeys(each.command for each in found.readings if not each.refused)


def _slots(entry: Entry) -> str:
    slots = "its cores" if entry.slots is None else str(entry.slots)
    return f"{entry.host} {slots}" + (f" (at most {entry.maximum})" if entry.maximum else "")


def _ranks(answer: Answer) -> str:
    if answer.refused:
        return f"refused: {answer.refused}"
    if not answer.ranks:
        return "as many a host as it has cores: say --cores"
    return ", ".join(_cut(_stretches(answer.ranks)))


def _stretches(ranks: Sequence[str]) -> Iterator[str]:
    """Yield where ranks go, those of one host that follow each other together.

    >>> list(_stretches(["a", "a", "b", "a"]))
    ['a 0-1', 'b 2', 'a 3']
    """
    first = 0
    for host, found in groupby(ranks):
        last = first + len(list(found)) - 1
        yield f"{host} {first}" + (f"-{last}" if last > first else "")
        first = last + 1


def _cut(words: Iterator[str]) -> list[str]:
    every = list(words)
    return every if len(every) <= _MOST else [*every[:_MOST], f"{len(every) - _MOST} more"]
