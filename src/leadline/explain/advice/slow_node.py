"""A node of which all ranks are late."""

from collections.abc import Iterator

from leadline.explain.case import Advice, Case, percent_of


def advise(case: Case) -> Iterator[Advice]:
    """Tell which node is slow."""
    waiting = case.per_rank(sum(rank.waiting_s for rank in case.ranks))
    if case.late.verdict != "node" or not case.is_worth(waiting):
        return
    host = next(rank.host for rank in case.recording.ranks if rank.node == case.late.node)
    yield Advice(
        text=f"All ranks of node {host} are late: {percent_of(case.late.share, 1)} of the waiting "
        "is for them. Look there for what holds it up.",
        command=case.leadline("doctor"),
        stake_s=waiting,
    )
