"""Ranks that send most of their data to other nodes."""

from collections.abc import Iterator

from leadline.explain.case import Advice, Case, percent_of
from leadline.explain.recording import MESSAGES

_MUCH = 0.5


def advise(case: Case) -> Iterator[Advice]:
    """Tell which part of the data leaves the nodes, where another order may keep more inside."""
    recording = case.recording
    ranks, nodes = len(recording.ranks), recording.nodes
    if nodes < 2 or ranks % nodes or ranks == nodes or not case.matrix:
        return
    node_of = {rank.rank: rank.node for rank in recording.ranks}
    inside = outside = 0
    for rank in recording.ranks:
        for other, peer in rank.peers.items():
            if node_of.get(other) == rank.node:
                inside += peer.bytes
            else:
                outside += peer.bytes
    rows = (row for row in case.rows if row.function.kind in MESSAGES)
    seconds = case.per_rank(sum(row.own_s for row in rows))
    if outside < _MUCH * (inside + outside) or not outside or not case.is_worth(seconds):
        return
    yield Advice(
        text=f"{percent_of(outside, inside + outside)} of the data sent leave their node: another "
        "order of ranks may keep more of it inside.",
        command=case.leadline(
            "rank-order", "--place", f"{nodes}x{ranks // nodes}", "--matrix", case.matrix,
            "--order", "optimised",
        ),
        stake_s=seconds,
    )  # fmt: skip
