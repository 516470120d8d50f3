"""Several ranks confined to fewer cores than they are, while others are free."""

from collections.abc import Iterator

from leadline.check.command import Command
from leadline.check.crowding import confined, is_everywhere, pinned_by_openmp
from leadline.check.fault import Fault
from leadline.check.observation import Observation, format_cores, format_ranks
from leadline.core.units import percent

GRAVITY = 10


def find(seen: Observation, command: Command) -> Iterator[Fault]:
    """Tell of ranks that take turns on cores although there are more."""
    crowded = confined(seen)
    if not crowded or pinned_by_openmp(seen, command):
        return
    cores, ranks = crowded
    if is_everywhere(seen, cores):
        return
    free = [core for core in seen.usable if core not in cores]
    ran = sum(thread.ran for rank in ranks for thread in rank.threads[:1]) / len(ranks)
    yield Fault(
        ranks=tuple(rank.rank for rank in ranks),
        text=f"{len(ranks)} ranks share {format_cores(cores)}, "
        f"while {len(free)} other core{'s are' if len(free) > 1 else ' is'} free.",
        evidence=(
            f"{format_ranks(rank.rank for rank in ranks)} may use {format_cores(cores)} only",
            f"each of them ran {percent(ran)} of the time",
        ),
        fix=command.bound(1),
    )
