"""Messages that are sent with one tag and awaited with another."""

from collections.abc import Iterator

from leadline.stuck.hang import Hang
from leadline.stuck.job import Job, described, numbers
from leadline.stuck.messages import differ_in_communicator, first_halves, matches, pairs

GRAVITY = 30


def find(job: Job) -> Iterator[Hang]:
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
