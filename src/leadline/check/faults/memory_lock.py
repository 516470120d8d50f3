"""Ranks that may lock little memory, which RDMA needs."""

from collections.abc import Iterator

from leadline.check.command import Command
from leadline.check.fault import Fault
from leadline.check.observation import Observation, Rank
from leadline.core.units import about_bytes

GRAVITY = 40
_ENOUGH_BYTES = 1 << 30


def find(seen: Observation, command: Command) -> Iterator[Fault]:
    """Tell of a limit that a device needs larger, or that was lowered on the way to the ranks."""
    own = seen.machine.lock_limit_bytes
    limited = [rank for rank in seen.ranks if _is_small(rank, seen, own)]
    if not limited:
        return
    limit, most = limited[0].lock_limit_bytes or 0, limited[0].lock_most_bytes
    devices = ", ".join(seen.machine.rdma)
    evidence = [
        f"{devices} needs it: without it libraries fail or take TCP"
        if devices
        else f"the shell that started leadline may lock {about_bytes(own) if own else 'all'}"
    ]
    if most is None or most > limit:
        fix = command.with_wrapper("prlimit", f"--memlock={most or 'unlimited'}")
    else:
        fix = (
            "Set memlock to unlimited in /etc/security/limits.conf, and LimitMEMLOCK of the batch "
            "system's daemon."
        )
    yield Fault(
        ranks=tuple(rank.rank for rank in limited),
        text=f"The ranks may lock {about_bytes(limit)} of memory only.",
        evidence=tuple(evidence),
        fix=fix,
    )


def _is_small(rank: Rank, seen: Observation, own: int | None) -> bool:
    limit = rank.lock_limit_bytes
    if limit is None:
        return False
    lowered = own is None or limit < own
    return lowered or (bool(seen.machine.rdma) and limit < _ENOUGH_BYTES)
