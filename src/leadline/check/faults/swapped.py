"""Ranks of which part lies on disk."""

from collections.abc import Iterator

from leadline.check.command import Command
from leadline.check.fault import Fault
from leadline.check.observation import Observation, format_ranks
from leadline.core.units import about_bytes

GRAVITY = 22
_LEAST_BYTES = 1 << 20


def find(seen: Observation, command: Command) -> Iterator[Fault]:
    """Tell of ranks whose memory was swapped out."""
    swapped = {
        rank.rank: rank.swapped_bytes for rank in seen.ranks if rank.swapped_bytes >= _LEAST_BYTES
    }
    if not swapped:
        return
    yield Fault(
        ranks=tuple(swapped),
        text=f"{about_bytes(sum(swapped.values()))} of {format_ranks(swapped)} lies in swap: "
        "this host has too little memory for them.",
        evidence=tuple(f"rank {rank}: {about_bytes(size)}" for rank, size in swapped.items()),
        fix=command.with_processes(max(seen.size // 2, 1)),
    )
