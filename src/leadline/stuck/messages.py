"""Which ranks wait for messages of which, and what the ranks that they name do instead."""

from collections.abc import Iterator

from leadline.stuck.job import ANY_TAG, ANYONE, BOTH, RECEIVE, SEND, WORLD, Job, Rank


def faces(sender: Rank, receiver: Rank) -> bool:
    """Tell whether one sends to the other, which receives from it or from any rank."""
    sends = sender.waits and sender.call.kind in (SEND, BOTH)
    receives = receiver.waits and receiver.call.kind in (RECEIVE, BOTH)
    if not (sends and receives and sender.rank != receiver.rank):
        return False
    return sender.call.peer == receiver.rank and receiver.call.peer in (sender.rank, ANYONE)


def matches(sender: Rank, receiver: Rank) -> bool:
    """Tell whether tag and communicator of two that face each other are the same or unknown."""
    tags = (sender.call.tag, receiver.call.tag)
    both = BOTH in (sender.call.kind, receiver.call.kind)
    same_tag = ANY_TAG in tags or tags[0] == tags[1] or both
    return same_tag and not differ_in_communicator(sender, receiver)


def differ_in_communicator(one: Rank, other: Rank) -> bool:
    """Tell whether two ranks are known to be in calls on different communicators."""
    communicators = {one.call.communicator, other.call.communicator}
    return None not in communicators and len(communicators) == 2


def pairs(job: Job) -> Iterator[tuple[Rank, Rank]]:
    """Yield the ranks that face each other: who sends, and who receives."""
    for sender in job.waiting:
        for receiver in job.waiting:
            # A blocking exchange shows one of its two partners only.
            if receiver.call.kind == RECEIVE and faces(sender, receiver):
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


def is_away(job: Job, other: Rank) -> bool:
    """Tell whether a rank will send and receive nothing any more."""
    if other.has_ended:
        return True
    if not (other.waits and other.call.is_collective):
        return False
    return other.call.communicator == WORLD or other.call.function == "MPI_Finalize" or job.all_wait
