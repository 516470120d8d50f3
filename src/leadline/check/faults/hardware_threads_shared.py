"""Ranks bound to hardware threads of one core, while whole cores are free."""

from collections.abc import Iterator

from leadline.check.command import Command
from leadline.check.crowding import confined
from leadline.check.fault import Fault
from leadline.check.observation import Observation, Rank, format_cores

GRAVITY = 26


def find(seen: Observation, command: Command) -> Iterator[Fault]:
    """Tell of ranks that slow each other inside a core."""
    if confined(seen):
        return
    core_of = seen.machine.core_of
    by_core: dict[str, list[Rank]] = {}
    for rank in seen.ranks:
        cores = {core_of[cpu] for cpu in rank.cores if cpu in core_of}
        if len(cores) == 1:
            by_core.setdefault(cores.pop(), []).append(rank)
    together = [ranks for ranks in by_core.values() if len(ranks) > 1]
    taken = {core_of.get(cpu) for rank in seen.ranks for cpu in rank.cores}
    free = {core_of[cpu] for cpu in seen.usable if cpu in core_of} - taken
    if not together or not free:
        return
    ranks = [rank for each in together for rank in each]
    yield Fault(
        ranks=tuple(rank.rank for rank in ranks),
        text=f"{len(ranks)} ranks share {len(together)} core{'s' if len(together) > 1 else ''} by "
        f"hardware threads, while {len(free)} core{'s are' if len(free) > 1 else ' is'} free.",
        evidence=tuple(
            f"rank {rank.rank} may use {format_cores(rank.cores)}" for rank in ranks[:4]
        ),
        fix=command.bound(1),
    )
