"""Messages that are sent on one communicator and awaited on another."""

from collections.abc import Iterator

from leadline.stuck.hang import Hang
from leadline.stuck.job import Job, described, numbers
from leadline.stuck.messages import differ_in_communicator, pairs

GRAVITY = 32


def find(job: Job) -> Iterator[Hang]:
    """Tell of senders and receivers that name each other, on different communicators."""
    for sender, receiver in pairs(job):
        if not differ_in_communicator(sender, receiver):
            continue
        yield Hang(
            ranks=numbers([sender, receiver]),
            text=f"Rank {sender.rank} sends to rank {receiver.rank} on {sender.call.on}, "
            f"and rank {receiver.rank} waits on {receiver.call.on}.",
            evidence=described([sender, receiver]),
            fix=f"Give {sender.call.function} and {receiver.call.function} the same communicator.",
        )
