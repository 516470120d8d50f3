"""Verdicts on messages that no rank sends or receives, and on ranks that wait in a circle."""

from collections.abc import Iterator

from leadline.stuck.hang import Hang
from leadline.stuck.job import (
    ABORTED,
    ANYONE,
    BOTH,
    EXITED,
    FINALISED,
    RECEIVE,
    SEND,
    WAIT,
    WORLD,
    Job,
    Rank,
    capital,
    communicator_name,
    described,
    named,
    numbers,
)
from leadline.stuck.messages import (
    differ_in_communicator,
    faces,
    first_halves,
    is_away,
    matches,
    pairs,
    unmet,
    unserved,
)


def find_wrong_tag(job: Job) -> Iterator[Hang]:
    """Tell of senders and receivers that name each other, and different tags."""
    for sender, receiver in pairs(job):
        if matches(sender, receiver) or differ_in_communicator(sender, receiver):
            continue
        sent, awaited = first_halves(sender, receiver)
        yield Hang(
            ranks=numbers([sender, receiver]),
            text=f"Rank {sender.rank} sends to rank {receiver.rank} with tag {sent.tag}, "
            f"and rank {receiver.rank} waits for tag {awaited.tag}.",
            evidence=described([sender, receiver]),
            fix=f"Give {sender.call.function} and {receiver.call.function} the same tag.",
        )


def find_wrong_communicator(job: Job) -> Iterator[Hang]:
    """Tell of senders and receivers that name each other, on different communicators."""
    for sender, receiver in pairs(job):
        if not differ_in_communicator(sender, receiver):
            continue
        sent, awaited = first_halves(sender, receiver)
        yield Hang(
            ranks=numbers([sender, receiver]),
            text=f"Rank {sender.rank} sends to rank {receiver.rank} on "
            f"{communicator_name(sent.communicator)}, and rank {receiver.rank} waits on "
            f"{communicator_name(awaited.communicator)}.",
            evidence=described([sender, receiver]),
            fix=f"Give {sender.call.function} and {receiver.call.function} the same communicator.",
        )


_MOST_NAMED = 4
# Messages that nobody waits in sending may be on their way for so long.
_CIRCLE_S = 5.0


def find_deadlock_cycle(job: Job) -> Iterator[Hang]:
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
        _receives(rank) and (rank.call.since_s or 0.0) >= _CIRCLE_S for rank in circle
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


def find_missing_receive(job: Job) -> Iterator[Hang]:
    """Tell of sends whose receiver has ended or waits in something else."""
    for rank, other in (*unserved(job, SEND), *unserved(job, BOTH)):
        yield Hang(
            ranks=numbers([rank, other]),
            missing=numbers([other]),
            text=f"Rank {rank.rank} waits in {rank.call.function} to rank {other.rank}, which "
            f"{whereabouts(other)}.",
            evidence=described([rank, other]),
            fix=f"Look for the receive that rank {other.rank} leaves out: "
            f"source {rank.rank}, tag {rank.call.tag}.",
        )


def find_missing_send(job: Job) -> Iterator[Hang]:
    """Tell of receives whose sender has ended or waits in something else."""
    for rank, other in unserved(job, RECEIVE):
        yield Hang(
            ranks=numbers([rank, other]),
            missing=numbers([other]),
            text=f"Rank {rank.rank} waits in {rank.call.function} for rank {other.rank}, which "
            f"{whereabouts(other)}.",
            evidence=described([rank, other]),
            fix=f"Look for the send that rank {other.rank} leaves out, "
            f"or that has another tag or communicator: {_wanted(rank)}.",
        )
    for rank in job.waiting:
        if rank.call.kind != RECEIVE or rank.call.peer != ANYONE:
            continue
        rest = [other for other in job.ranks if other is not rank]
        if rest and len(job.ranks) == job.size and all(is_away(job, other) for other in rest):
            yield Hang(
                ranks=numbers([rank]),
                missing=numbers(rest),
                text=f"Rank {rank.rank} waits in {rank.call.function} for any rank, "
                "and no rank sends to it any more.",
                evidence=described([rank, *rest]),
                fix="Count the messages that are sent and received: one more is awaited.",
            )


def _wanted(rank: Rank) -> str:
    tag = "any tag" if rank.call.tag < 0 else f"tag {rank.call.tag}"
    return f"destination {rank.rank}, {tag}"


def find_missing_partner(job: Job) -> Iterator[Hang]:
    """Tell of requests whose other ranks have ended or wait in something else."""
    for rank in job.waiting:
        if rank.call.kind != WAIT:
            continue
        if others := unmet(job, rank):
            yield _hang(rank, others)


def _hang(rank: Rank, others: list[Rank]) -> Hang:
    away = (
        f"rank {others[0].rank}, which {whereabouts(others[0])}"
        if len(others) == 1
        else f"{named(others)}, which are elsewhere"
    )
    requests = "a request" if len(others) == 1 else "requests"
    missing = {other.rank for other in others}
    kinds = {
        "send" if each.receives else "receive"
        for each in rank.call.awaiting
        if each.peer in missing and not each.has_begun
    }
    tags = sorted(
        {each.tag for each in rank.call.awaiting if each.peer in missing and each.tag >= 0}
    )
    told = f", tag {', '.join(map(str, tags))}" if tags else ""
    return Hang(
        ranks=numbers([rank, *others]),
        missing=numbers(others),
        text=f"Rank {rank.rank} waits in {rank.call.function} for {requests} with {away}.",
        evidence=described([rank, *others]),
        fix=f"Look for the {' or '.join(sorted(kinds))} that {named(others)} "
        f"{'leaves' if len(others) == 1 else 'leave'} out: rank {rank.rank}{told}.",
    )


def find_polls(job: Job) -> Iterator[Hang]:
    """Tell of ranks that poll while all the rest waits."""
    polling = [rank for rank in job.ranks if rank.polls]
    rest = [rank for rank in job.ranks if not rank.polls and not rank.has_ended]
    if not polling or not job.waiting or not all(rank.waits for rank in rest):
        return
    rate = max(rank.polls for rank in polling)
    calls = sorted({str(rank.call) for rank in polling if rank.call.function})
    yield Hang(
        ranks=numbers(polling),
        missing=numbers(polling),
        text=f"{capital(named(polling))} {'tests' if len(polling) == 1 else 'test'} again and "
        f"again{f' in {calls[0]}' if calls else ''} for what does not happen.",
        evidence=(f"about {float(f'{rate:.2g}'):.0f} tests a second", *described(job.waiting)),
        fix="Look for the message or request that this loop awaits, and who should send it.",
    )


_STANDSTILL_S = 5.0


def find_standstill(job: Job) -> Iterator[Hang]:
    """Tell of ranks in different calls, none of which can end before another one."""
    waiting = job.waiting
    if not job.calls_known or not job.all_wait or not waiting:
        return
    if any((rank.call.since_s or 0.0) < _STANDSTILL_S for rank in waiting):
        return
    if len({(rank.call.function, rank.call.communicator) for rank in waiting}) < 2:
        return
    if any(matches(sender, receiver) for sender, receiver in pairs(job)):
        return
    # Collectives among few ranks may be slow, each by itself.
    if all(rank.call.is_collective and rank.call.communicator != WORLD for rank in waiting):
        return
    yield Hang(
        ranks=numbers(waiting),
        text=f"All ranks wait in {job.api}, in different calls, and none goes on.",
        evidence=described(waiting),
        fix="Compare the calls: which rank does not send what another one waits for?",
    )


_ENDED = {
    EXITED: "has left the program",
    ABORTED: "has aborted",
}


def whereabouts(rank: Rank) -> str:
    """Return what a rank does: the end of a sentence about it."""
    if rank.state == FINALISED:
        return f"has passed {rank.end}"
    return _ENDED.get(rank.state, f"is in {rank.call}")
