"""Which ranks wait for messages of which, and what the ranks that they name do instead."""

from collections.abc import Iterator
from typing import NamedTuple

from leadline.stuck.job import (
    ANY_TAG,
    ANYONE,
    BOTH,
    ENDS,
    NOBODY,
    RECEIVE,
    SEND,
    WAIT,
    WORLD,
    Job,
    Rank,
)


class Half(NamedTuple):
    """One side of a message: the rank at the other end, the tag, and the communicator."""

    peer: int
    tag: int
    communicator: int | None


def _halves(rank: Rank, kind: int) -> list[Half]:
    """Return the messages whose sends, or receives, a rank waits in, as `kind` says."""
    call = rank.call
    if not rank.waits:
        return []
    if call.kind in (kind, BOTH):
        # Of an exchange one tag is known, which may be that of the other half.
        return [Half(call.peer, ANY_TAG if call.kind == BOTH else call.tag, call.communicator)]
    if call.kind != WAIT:
        return []
    return [
        Half(each.peer, ANY_TAG if each.sends and each.receives else each.tag, each.communicator)
        for each in call.awaiting
        if each.peer != NOBODY and (each.sends if kind == SEND else each.receives)
    ]


def faces(sender: Rank, receiver: Rank) -> bool:
    """Tell whether one sends to the other, which receives from it or from any rank."""
    return bool(_facing(sender, receiver))


def matches(sender: Rank, receiver: Rank) -> bool:
    """Tell whether tag and communicator of two that face each other are the same or unknown."""
    return any(
        (ANY_TAG in (sent.tag, awaited.tag) or sent.tag == awaited.tag)
        and not _differ(sent, awaited)
        for sent, awaited in _facing(sender, receiver)
    )


def differ_in_communicator(sender: Rank, receiver: Rank) -> bool:
    """Tell whether two that face each other are known to do so on different communicators only."""
    return all(_differ(sent, awaited) for sent, awaited in _facing(sender, receiver))


def _differ(one: Half, other: Half) -> bool:
    return None not in (one.communicator, other.communicator) and (
        one.communicator != other.communicator
    )


def first_halves(sender: Rank, receiver: Rank) -> tuple[Half, Half]:
    """Return both sides of the first messages by which two ranks face each other."""
    return _facing(sender, receiver)[0]


def _facing(sender: Rank, receiver: Rank) -> list[tuple[Half, Half]]:
    if sender.rank == receiver.rank:
        return []
    return [
        (sent, awaited)
        for sent in _halves(sender, SEND)
        if sent.peer == receiver.rank
        for awaited in _halves(receiver, RECEIVE)
        if awaited.peer in (sender.rank, ANYONE)
    ]


def pairs(job: Job) -> Iterator[tuple[Rank, Rank]]:
    """Yield the ranks that face each other: who sends, and who receives."""
    for sender in job.waiting:
        for receiver in job.waiting:
            # A blocking exchange shows one of its two partners only.
            if receiver.call.kind in (RECEIVE, WAIT) and faces(sender, receiver):
                yield sender, receiver


def unserved(job: Job, kind: int) -> Iterator[tuple[Rank, Rank]]:
    """Yield ranks in messages of a kind, each with the rank that it waits for and that is away.

    Away is a rank that has ended, or waits in a collective that cannot end before.
    """
    for rank in job.waiting:
        if rank.call.kind != kind or rank.call.peer < 0:
            continue
        other = job.rank(rank.call.peer)
        if other and is_away(job, other):
            yield rank, other


def unmet(job: Job, rank: Rank) -> list[Rank]:
    """Return the ranks that are away and have not called what a rank waits for.

    Of sends less is known than of receives: they count where all receives may have come.
    """
    open_ = [each for each in rank.call.awaiting if each.peer >= 0 and not each.has_begun]
    for received in (True, False):
        peers = dict.fromkeys(each.peer for each in open_ if each.receives == received)
        others = [other for other in map(job.rank, peers) if other and is_away(job, other)]
        if others:
            return others
    return []


def is_away(job: Job, other: Rank) -> bool:
    """Tell whether a rank will send and receive nothing any more."""
    if other.has_ended:
        return True
    if not other.waits:
        return False
    if other.call.kind == WAIT and other.call.awaiting:
        return job.all_wait and all(each.is_collective for each in other.call.awaiting)
    if not other.call.is_collective:
        return False
    return other.call.communicator == WORLD or other.call.function in ENDS or job.all_wait
