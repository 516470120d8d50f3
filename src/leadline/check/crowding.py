"""Ranks and threads against the processors that they may use: arithmetic that rules share."""

from collections.abc import Sequence

from leadline.check.command import Command
from leadline.check.observation import Observation, Rank

# Below this share of the look, a thread that wants a processor has one often enough.
_ENOUGH = 0.75
_SOMETHING = 0.02


def confined(seen: Observation) -> tuple[tuple[int, ...], tuple[Rank, ...]] | None:
    """Return the cores to which more ranks are confined than there are cores, and these ranks.

    The smallest such set of cores, by Hall's condition over the sets that ranks have; sets alike in
    size are put together. None where each rank can have a core.
    """
    crowded: list[tuple[tuple[int, ...], tuple[Rank, ...]]] = []
    for cores in sorted({rank.cores for rank in seen.ranks if rank.cores}, key=len):
        inside = tuple(rank for rank in seen.ranks if rank.cores and set(rank.cores) <= set(cores))
        taken = {rank.rank for _, ranks in crowded for rank in ranks}
        if len(inside) > len(cores) and not taken & {rank.rank for rank in inside}:
            crowded.append((cores, inside))
    if not crowded:
        return None
    cores = tuple(sorted({core for each, _ in crowded for core in each}))
    return cores, tuple(rank for _, ranks in crowded for rank in ranks)


def is_everywhere(seen: Observation, cores: Sequence[int]) -> bool:
    """Tell whether ranks could use no other processors than these."""
    return set(cores) >= set(seen.usable)


def busy_threads(ranks: Sequence[Rank]) -> int:
    """Return how many threads wanted a processor for more than half of the look."""
    return sum(len(rank.busy) for rank in ranks)


def at_work(rank: Rank) -> int:
    """Return how many threads of a rank are at work.

    Those that were busy; or as many as OMP_NUM_THREADS asks for, where that many did something:
    threads that wait for each other sleep part of the time, the more so where they share a core.
    """
    active = sum(thread.wanted > _SOMETHING for thread in rank.threads)
    value = rank.environment.get("OMP_NUM_THREADS", "").partition(",")[0]
    requested = int(value) if value.isdigit() else 0
    return max(len(rank.busy), requested if active >= requested else 0)


def waits_for_others(ranks: Sequence[Rank]) -> bool:
    """Tell whether a busy thread got clearly less of a processor than it wanted."""
    return any(thread.ran < _ENOUGH * thread.wanted for rank in ranks for thread in rank.busy)


_PINNING = ("GOMP_CPU_AFFINITY", "KMP_AFFINITY", "OMP_PLACES", "OMP_PROC_BIND")


def pinned_by_openmp(seen: Observation, command: Command) -> str:
    """Return the variable by which OpenMP pins the ranks that share cores; empty for none.

    It does where the variable is there and neither the command nor, by default, the launcher binds.
    """
    crowded = confined(seen)
    if not crowded or command.confines:
        return ""
    _, ranks = crowded
    names = (
        name for name in _PINNING if all(_pins(rank.environment.get(name, "")) for rank in ranks)
    )
    return next(names, "")


def _pins(value: str) -> bool:
    return value.lower() not in ("", "false", "none", "disabled")
