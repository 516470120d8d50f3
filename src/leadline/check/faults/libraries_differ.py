"""Ranks that have loaded different MPI libraries, or two at once."""

from collections.abc import Iterator

from leadline.check.command import Command
from leadline.check.fault import Fault
from leadline.check.observation import Observation, Rank, format_ranks

GRAVITY = 2
_LEADING = ("LD_LIBRARY_PATH", "LD_PRELOAD")


def find(seen: Observation, command: Command) -> Iterator[Fault]:
    """Tell of ranks whose loader found another file than that of the rest."""
    by_file: dict[tuple[str, ...], list[Rank]] = {}
    for rank in seen.ranks:
        if rank.mpi:
            by_file.setdefault(tuple(sorted(each.file for each in rank.mpi)), []).append(rank)
    double = [rank for rank in seen.ranks if len({each.file for each in rank.mpi}) > 1]
    if len(by_file) < 2 and not double:
        return
    largest = max(by_file.values(), key=len)
    odd = double or [rank for each in by_file.values() if each is not largest for rank in each]
    evidence = tuple(
        f"{format_ranks(rank.rank for rank in each)}: "
        + " and ".join(library.path for library in each[0].mpi)
        for each in by_file.values()
    )
    yield Fault(
        ranks=tuple(rank.rank for rank in odd),
        text=f"{format_ranks(rank.rank for rank in odd).capitalize()} "
        + ("loads" if len(odd) == 1 else "load")
        + (" two MPI libraries at once." if double else " another MPI library than the rest."),
        evidence=evidence,
        fix=_fix(seen, command, odd),
    )


def _fix(seen: Observation, command: Command, odd: list[Rank]) -> str:
    rest = [rank for rank in seen.ranks if rank not in odd]
    for name in _LEADING:
        values = {rank.environment.get(name) for rank in rest} or {None}
        if odd[0].environment.get(name) not in values:
            return command.without_variables([name])
    folders = [each.path.rpartition("/")[0] for rank in rest or odd for each in rank.mpi[:1]]
    return command.with_variable("LD_LIBRARY_PATH", folders[0])
