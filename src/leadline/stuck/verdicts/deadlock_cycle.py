"""Ranks that wait for each other in a circle of sends and receives."""

from collections.abc import Iterator

from leadline.stuck.hang import Hang
from leadline.stuck.job import (
    BOTH,
    RECEIVE,
    SEND,
    WAIT,
    Job,
    Rank,
    capital,
    described,
    named,
    numbers,
)
from leadline.stuck.messages import faces

GRAVITY = 34
_MOST_NAMED = 4
# Messages that nobody waits in sending may be on their way for so long.
_LONG_S = 5.0


def find(job: Job) -> Iterator[Hang]:
    """Tell of each circle in which every rank waits in a message for the next."""
    seen: set[int] = set()
    for rank in job.waiting:
        circle = _circle(job, rank)
        if not circle or seen & {*numbers(circle)} or not _is_dead_end(circle):
            continue
        seen |= {*numbers(circle)}
        yield Hang(
            ranks=numbers(circle),
            text=_text(circle),
            evidence=described(sorted(circle, key=lambda each: each.rank)),
            fix=_fix(circle),
        )


def _circle(job: Job, rank: Rank) -> list[Rank]:
    """Return the ranks that lead from a rank back to itself, none where they do not."""
    path: list[Rank] = []
    at: Rank | None = rank
    while at and at not in path and at.waits and at.call.is_message and not _has_begun(at):
        path.append(at)
        at = job.rank(at.call.peer) if at.call.peer >= 0 else None
    return path if path and at is rank else []


def _is_dead_end(circle: list[Rank]) -> bool:
    """Tell whether no two in the circle serve each other; exchanges and waits alone may."""
    if not any(rank.call.kind in (SEND, RECEIVE) for rank in circle) and not all(
        _receives(rank) and (rank.call.since_s or 0.0) >= _LONG_S for rank in circle
    ):
        return False
    following = [*circle[1:], circle[0]]
    met = (
        faces(one, other) or faces(other, one) for one, other in zip(circle, following, strict=True)
    )
    return not any(met)


def _has_begun(rank: Rank) -> bool:
    """Tell whether a rank waits for a message whose other side has called."""
    return rank.call.kind == WAIT and any(each.has_begun for each in rank.call.awaiting)


def _receives(rank: Rank) -> bool:
    """Tell whether a rank waits for messages, and in no send of its own."""
    if rank.call.kind == WAIT:
        return all(each.receives and not each.sends for each in rank.call.awaiting)
    return rank.call.kind == RECEIVE


def _text(circle: list[Rank]) -> str:
    kinds = {rank.call.kind for rank in circle}
    if len(circle) == 1:
        return f"Rank {circle[0].rank} waits in {circle[0].call.function} for itself."
    if kinds <= {SEND, BOTH}:
        how = "each waits in a send until the next one receives"
    elif all(map(_receives, circle)):
        how = "each waits for a message that the next one sends only later"
    else:
        how = "each waits for the next one"
    ordered = [rank.rank for rank in circle]
    if len(ordered) > _MOST_NAMED:
        return f"{capital(named(circle))} wait in a circle: {how}."
    chain = ", ".join(str(each) for each in ordered)
    return f"Ranks {chain} and again {ordered[0]} wait in a circle: {how}."


def _fix(circle: list[Rank]) -> str:
    kinds = {rank.call.kind for rank in circle}
    if len(circle) == 1:
        return "Start the other half before: MPI_Irecv before MPI_Send, or MPI_Sendrecv."
    if all(map(_receives, circle)):
        return "Let one rank of the circle send before it receives, or take MPI_Sendrecv."
    if WAIT in kinds:
        return "Start all receives before the first wait."
    return "Take MPI_Sendrecv, or post MPI_Irecv before MPI_Send."
