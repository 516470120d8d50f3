"""Messages that are sent on one communicator and awaited on another."""

from collections.abc import Iterator

from leadline.stuck.hang import Hang
from leadline.stuck.job import Job, communicator_name, described, numbers
from leadline.stuck.messages import differ_in_communicator, first_halves, pairs

GRAVITY = 32


def find(job: Job) -> Iterator[Hang]:
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
