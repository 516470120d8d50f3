"""An order of ranks drawn for people."""

from __future__ import annotations

from collections.abc import Iterator

from leadline.output.table import Column, table_of
from leadline.output.terminal.table import lines
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
