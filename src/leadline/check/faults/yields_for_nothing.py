"""Ranks that give their core away while they wait, although nobody else needs it."""

from collections.abc import Iterator

from leadline.check.command import Command
from leadline.check.crowding import confined
from leadline.check.fault import Fault
from leadline.check.observation import Observation
from leadline.check.settings import yielding

GRAVITY = 60


def find(seen: Observation, command: Command) -> Iterator[Fault]:
    """Tell of a wait mode that costs latency where each rank has a core."""
    if len(seen.ranks) < 2 or confined(seen):
        return
    settings = yielding(seen.ranks[0].environment)
    if not settings:
        return
    yield Fault(
        ranks=tuple(rank.rank for rank in seen.ranks),
        text="Waiting ranks give their core away, although each has its own: messages take longer.",
        evidence=tuple(f"{name}={value}" for name, value in settings.items()),
        fix=command.without_variables(settings),
    )
