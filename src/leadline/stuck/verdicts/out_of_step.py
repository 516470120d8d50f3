"""Ranks that have made different numbers of collective calls."""

from collections.abc import Iterator

from leadline.stuck.hang import Hang
from leadline.stuck.job import Job, capital, described, named, numbers
from leadline.stuck.steps import overtaken

GRAVITY = 60
LAST = True


def find(job: Job) -> Iterator[Hang]:
    """Tell of a call in which ranks wait for those that are beyond it."""
    for behind, ahead in overtaken(job):
        call = behind[0].call
        yield Hang(
            ranks=numbers(behind),
            missing=numbers(ahead),
            text=f"{capital(named(behind))} {'waits' if len(behind) == 1 else 'wait'} in call "
            f"{call.number} of {call.on}, and {named(ahead)} went on to call "
            f"{min(rank.call.number for rank in ahead)}.",
            evidence=described([*behind, *ahead]),
            fix=f"Compare count, datatype and root of {call.function} on these ranks.",
        )
