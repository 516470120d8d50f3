"""Ranks whose memory lies on another NUMA node than their cores."""

from collections.abc import Iterator

from leadline.check.command import Command
from leadline.check.fault import Fault
from leadline.check.observation import Observation, Rank, format_ranks
from leadline.core.units import percent

GRAVITY = 33
_LEAST_BYTES = 64 << 20
_MOST_FAR = 0.5


def find(seen: Observation, command: Command) -> Iterator[Fault]:
    """Tell of ranks that read most of their memory through another socket."""
    far = {rank.rank: share for rank in seen.ranks if (share := _far(rank, seen)) > _MOST_FAR}
    if not far:
        return
    confined = {"numactl"} & {
        word.rpartition("/")[2] for word in (*command.before, *command.program)
    }
    yield Fault(
        ranks=tuple(far),
        text=f"{format_ranks(far).capitalize()} have {percent(max(far.values()))} of their "
        "memory on another NUMA node than their cores.",
        evidence=tuple(f"rank {rank}: {percent(share)} far" for rank, share in far.items()),
        fix=command.unconfined() if confined else command.with_wrapper("numactl", "--localalloc"),
    )


def _far(rank: Rank, seen: Observation) -> float:
    near = {seen.machine.node_of[core] for core in rank.cores if core in seen.machine.node_of}
    total = sum(rank.memory_bytes.values())
    if not near or total < _LEAST_BYTES:
        return 0.0
    return sum(size for node, size in rank.memory_bytes.items() if node not in near) / total
