"""A rank with more threads at work than cores of its own."""

from collections.abc import Iterator

from leadline.check.command import Command
from leadline.check.crowding import at_work, confined
from leadline.check.fault import Fault
from leadline.check.observation import Observation, Rank, format_cores, format_ranks

GRAVITY = 12


def find(seen: Observation, command: Command) -> Iterator[Fault]:
    """Tell of threads that take turns on the few cores to which their rank is bound."""
    if confined(seen):
        return
    squeezed = [
        rank for rank in seen.ranks if _is_alone(rank, seen) and at_work(rank) > len(rank.cores)
    ]
    if not squeezed:
        return
    needs = max(at_work(rank) for rank in squeezed)
    first = squeezed[0]
    fits = needs * len(seen.ranks) <= len(seen.usable)
    said = first.environment.get("OMP_NUM_THREADS", "")
    cores = len(first.cores)
    yield Fault(
        ranks=tuple(rank.rank for rank in squeezed),
        text=f"Each of {format_ranks(rank.rank for rank in squeezed)} runs {needs} threads on "
        f"{cores} core{'s' if cores > 1 else ''}."
        if len(squeezed) > 1
        else f"Rank {first.rank} runs {needs} threads on {cores} core{'s' if cores > 1 else ''}.",
        evidence=(
            f"rank {first.rank} may use {format_cores(first.cores)} only",
            f"OMP_NUM_THREADS is {said or 'not set'}",
        ),
        fix=command.bound(needs) if fits else command.with_variable("OMP_NUM_THREADS", str(cores)),
    )


def _is_alone(rank: Rank, seen: Observation) -> bool:
    """Tell whether a rank shares its cores with no other one."""
    return bool(rank.cores) and not any(
        set(rank.cores) & set(other.cores) for other in seen.ranks if other is not rank
    )
