"""Ranks that test again and again for something that does not happen."""

from collections.abc import Iterator

from leadline.stuck.hang import Hang
from leadline.stuck.job import Job, capital, described, named, numbers

GRAVITY = 46


def find(job: Job) -> Iterator[Hang]:
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
