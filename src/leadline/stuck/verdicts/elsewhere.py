"""Ranks on other hosts that are in their own code while the ranks here wait."""

from collections.abc import Iterator

from leadline.stuck.hang import Hang
from leadline.stuck.job import Job, capital, described, named, numbers

GRAVITY = 58
# How long that rank has been there is not known here; so long have those waited that are here.
_LONG_S = 30.0


def find(job: Job) -> Iterator[Hang]:
    """Tell of ranks that are in no call, and whose processes cannot be seen from here."""
    waiting = job.waiting
    away = [rank for rank in job.ranks if rank.is_in_own_code and rank.process is None]
    here = [rank for rank in job.ranks if rank.is_in_own_code and rank.process is not None]
    if not away or here or max((rank.call.since_s or 0.0 for rank in waiting), default=0) < _LONG_S:
        return
    hosts = ", ".join(sorted({rank.host for rank in away}))
    yield Hang(
        ranks=numbers(away),
        missing=numbers(away),
        text=f"{capital(named(away))} on {hosts} {'is' if len(away) == 1 else 'are'} in no call of "
        f"{job.api}, and {named(waiting)} {'waits' if len(waiting) == 1 else 'wait'}.",
        evidence=described(waiting),
        fix=f"ssh {away[0].host} leadline stuck {away[0].pid}",
    )
