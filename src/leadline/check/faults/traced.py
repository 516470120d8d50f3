"""Ranks that a debugger or tracer stops again and again."""

from collections.abc import Iterator

from leadline.check.command import Command
from leadline.check.fault import Fault
from leadline.check.observation import Observation, format_ranks

GRAVITY = 28


def find(seen: Observation, command: Command) -> Iterator[Fault]:
    """Tell of ranks with a tracer."""
    traced = [rank for rank in seen.ranks if rank.tracer]
    if not traced:
        return
    words = {word.rpartition("/")[2] for word in (*command.before, *command.program)}
    yield Fault(
        ranks=tuple(rank.rank for rank in traced),
        text=f"A tracer or debugger holds {format_ranks(rank.rank for rank in traced)}: "
        "system calls take longer.",
        evidence=(f"rank {traced[0].rank} is traced by process {traced[0].tracer}",),
        fix=command.unconfined()
        if words & {"strace", "ltrace"}
        else f"kill {' '.join(sorted({str(rank.tracer) for rank in traced}))}",
    )
