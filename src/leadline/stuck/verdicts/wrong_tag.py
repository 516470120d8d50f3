"""Messages that are sent with one tag and awaited with another."""

from collections.abc import Iterator

from leadline.stuck.hang import Hang
from leadline.stuck.job import Job, described, numbers
from leadline.stuck.messages import differ_in_communicator, matches, pairs

GRAVITY = 30


def find(job: Job) -> Iterator[Hang]:
    """Tell of senders and receivers that name each other, and different tags."""
    for sender, receiver in pairs(job):
        if matches(sender, receiver) or differ_in_communicator(sender, receiver):
            continue
        yield Hang(
            ranks=numbers([sender, receiver]),
            text=f"Rank {sender.rank} sends to rank {receiver.rank} with tag {sender.call.tag}, "
            f"and rank {receiver.rank} waits for tag {receiver.call.tag}.",
            evidence=described([sender, receiver]),
            fix=f"Give {sender.call.function} and {receiver.call.function} the same tag.",
        )
