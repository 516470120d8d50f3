"""OpenMP pins the threads of several ranks to the same cores."""

from collections.abc import Iterator

from leadline.check.command import Command
from leadline.check.crowding import confined, is_everywhere, pinned_by_openmp
from leadline.check.fault import Fault
from leadline.check.observation import Observation, format_cores, format_ranks

GRAVITY = 11


def find(seen: Observation, command: Command) -> Iterator[Fault]:
    """Tell of ranks that nobody binds, whose OpenMP then binds each as if it were alone."""
    crowded = confined(seen)
    name = pinned_by_openmp(seen, command)
    if not crowded or not name or is_everywhere(seen, crowded[0]):
        return
    cores, ranks = crowded
    threads = max(len({thread.cores for thread in rank.threads}) for rank in ranks)
    fits = threads * len(seen.ranks) <= len(seen.usable)
    yield Fault(
        ranks=tuple(rank.rank for rank in ranks),
        text=f"OpenMP pins threads of {len(ranks)} ranks to {format_cores(cores)}: "
        "each rank counts the cores as its own.",
        evidence=(
            f"{name}={ranks[0].environment[name]}",
            f"{command.launcher.title} did not bind {format_ranks(rank.rank for rank in ranks)}",
        ),
        fix=command.bound(threads if fits else 1),
    )
