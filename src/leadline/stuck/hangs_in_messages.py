"""Verdicts on messages that no rank sends or receives, and on ranks that wait in a circle."""

from collections.abc import Iterator

from leadline.stuck.hang import Hang, hang
from leadline.stuck.job import (
    ABORTED,
    ANYONE,
    BOTH,
    EXITED,
    FILES,
    FINALISED,
    PHASE_S,
    RECEIVE,
    SEND,
    WAIT,
    WORLD,
    Job,
    Rank,
    communicator_name,
    described,
    named,
    numbers,
    subject,
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
        if not matches(sender, receiver) and not differ_in_communicator(sender, receiver):
            sent, awaited = first_halves(sender, receiver)
            yield _mismatch(
                sender, receiver, f"with tag {sent.tag}", f"for tag {awaited.tag}", "tag"
            )


def find_wrong_communicator(job: Job) -> Iterator[Hang]:
    """Tell of senders and receivers that name each other, on different communicators."""
    for sender, receiver in pairs(job):
        if differ_in_communicator(sender, receiver):
            on, other = (
                f"on {communicator_name(half.communicator)}"
                for half in first_halves(sender, receiver)
            )
            yield _mismatch(sender, receiver, on, other, "communicator")


def _mismatch(sender: Rank, receiver: Rank, sends: str, waits: str, what: str) -> Hang:
    return hang(
        [sender, receiver],
        f"Rank {sender.rank} sends to rank {receiver.rank} {sends}, and rank {receiver.rank} "
        f"waits {waits}.",
        f"Give {sender.call.function} and {receiver.call.function} the same {what}.",
        calls=[sender, receiver],
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
        text, fix = _circle_words(circle)
        yield hang(circle, text, fix, calls=sorted(circle, key=lambda each: each.rank))


def _circle(job: Job, rank: Rank) -> list[Rank]:
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
    return not any(
        faces(one, other) or faces(other, one) for one, other in zip(circle, following, strict=True)
    )


def _has_begun(rank: Rank) -> bool:
    return rank.call.kind == WAIT and any(each.has_begun for each in rank.call.awaiting)


def _receives(rank: Rank) -> bool:
    """Tell whether a rank waits for messages, and in no send of its own."""
    if rank.call.kind == WAIT:
        return all(each.receives and not each.sends for each in rank.call.awaiting)
    return rank.call.kind == RECEIVE


def _circle_words(circle: list[Rank]) -> tuple[str, str]:
    """Return what is said of a circle, and what to do about it."""
    kinds, first = {rank.call.kind for rank in circle}, circle[0]
    if len(circle) == 1:
        return (
            f"Rank {first.rank} waits in {first.call.function} for itself.",
            "Start the other half before: MPI_Irecv before MPI_Send, or MPI_Sendrecv.",
        )
    how = "each waits for the next one"
    fix = "Take MPI_Sendrecv, or post MPI_Irecv before MPI_Send."
    if kinds <= {SEND, BOTH}:
        how = "each waits in a send until the next one receives"
    elif all(map(_receives, circle)):
        how = "each waits for a message that the next one sends only later"
        fix = "Let one rank of the circle send before it receives, or take MPI_Sendrecv."
    elif WAIT in kinds:
        fix = "Start all receives before the first wait."
    if len(circle) > _MOST_NAMED:
        return f"{named(circle)} wait in a circle: {how}.", fix
    chain = ", ".join(str(each.rank) for each in circle)
    return f"Ranks {chain} and again {first.rank} wait in a circle: {how}.", fix


def find_missing_receive(job: Job) -> Iterator[Hang]:
    """Tell of sends whose receiver has ended or waits in something else."""
    for rank, other in (*unserved(job, SEND), *unserved(job, BOTH)):
        fix = (
            f"Look for the receive that rank {other.rank} leaves out: "
            f"source {rank.rank}, tag {rank.call.tag}."
        )
        yield _left_waiting(rank, f"to {_whereabouts(other)}", fix, [other])


def find_missing_send(job: Job) -> Iterator[Hang]:
    """Tell of receives whose sender has ended or waits in something else."""
    for rank, other in unserved(job, RECEIVE):
        tag = "any tag" if rank.call.tag < 0 else f"tag {rank.call.tag}"
        fix = (
            f"Look for the send that rank {other.rank} leaves out, or that has another tag or "
            f"communicator: destination {rank.rank}, {tag}."
        )
        yield _left_waiting(rank, f"for {_whereabouts(other)}", fix, [other])
    for rank in job.waiting:
        if rank.call.kind != RECEIVE or rank.call.peer != ANYONE:
            continue
        rest = [other for other in job.ranks if other is not rank]
        if rest and len(job.ranks) == job.size and all(is_away(job, other) for other in rest):
            yield hang(
                [rank],
                f"Rank {rank.rank} waits in {rank.call.function} for any rank, "
                "and no rank sends to it any more.",
                "Count the messages that are sent and received: one more is awaited.",
                missing=rest,
                calls=[rank, *rest],
            )


def find_missing_partner(job: Job) -> Iterator[Hang]:
    """Tell of requests whose other ranks have ended or wait in something else."""
    for rank in job.waiting:
        others = unmet(job, rank) if rank.call.kind == WAIT else []
        if not others:
            continue
        missing = {*numbers(others)}
        requests = [each for each in rank.call.awaiting if each.peer in missing]
        kinds = {"send" if each.receives else "receive" for each in requests if not each.has_begun}
        tags = sorted({each.tag for each in requests if each.tag >= 0})
        tag = f", tag {', '.join(map(str, tags))}" if tags else ""
        fix = (
            f"Look for the {' or '.join(sorted(kinds))} that {subject(others, 'leaves')} out: "
            f"rank {rank.rank}{tag}."
        )
        what = (
            f"for a request with {_whereabouts(others[0])}"
            if len(others) == 1
            else f"for requests with {named(others)}, which are elsewhere"
        )
        yield _left_waiting(rank, what, fix, others)


def _left_waiting(rank: Rank, what: str, fix: str, missing: list[Rank]) -> Hang:
    text = f"Rank {rank.rank} waits in {rank.call.function} {what}."
    return hang([rank, *missing], text, fix, missing=missing, calls=[rank, *missing])


def find_polls(job: Job) -> Iterator[Hang]:
    """Tell of ranks that poll while all the rest waits."""
    polling = [rank for rank in job.ranks if rank.polls]
    rest = [rank for rank in job.ranks if not rank.polls and not rank.has_ended]
    if not polling or not job.waiting or not all(rank.waits for rank in rest):
        return
    rate = max(rank.polls for rank in polling)
    calls = sorted({str(rank.call) for rank in polling if rank.call.function})
    yield hang(
        polling,
        f"{subject(polling, 'tests')} again and again{f' in {calls[0]}' if calls else ''} for what "
        "does not happen.",
        "Look for the message or request that this loop awaits, and who should send it.",
        missing=polling,
        evidence=(f"about {float(f'{rate:.2g}'):.0f} tests a second", *described(job.waiting)),
    )


_STANDSTILL_S = 5.0


def find_standstill(job: Job) -> Iterator[Hang]:
    """Tell of ranks in different calls, none of which can end before another one."""
    waiting = job.waiting
    if not job.calls_known or not job.all_wait or job.least_wait_s < _STANDSTILL_S:
        return
    if len({(rank.call.function, rank.call.communicator) for rank in waiting}) < 2:
        return
    if any(matches(sender, receiver) for sender, receiver in pairs(job)):
        return
    # Collectives among few ranks may be slow, each by itself.
    if all(rank.call.is_collective and rank.call.communicator != WORLD for rank in waiting):
        return
    # What one rank does with a file ends by itself.
    in_files = (rank.call for rank in waiting if rank.call.kind == FILES)
    if any(not call.is_collective and (call.since_s or 0.0) < PHASE_S for call in in_files):
        return
    yield hang(
        waiting,
        f"All ranks wait in {job.api}, in different calls, and none goes on.",
        "Compare the calls: which rank does not send what another one waits for?",
        calls=waiting,
    )


def _whereabouts(rank: Rank) -> str:
    """Return a rank and what it does: the end of a sentence."""
    ends = {
        FINALISED: f"has passed {rank.end}",
        EXITED: "has left the program",
        ABORTED: "has aborted",
    }
    return f"rank {rank.rank}, which {ends.get(rank.state, f'is in {rank.call}')}"
