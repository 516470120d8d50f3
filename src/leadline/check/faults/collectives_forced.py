"""A setting that forces one algorithm of a collective at every size."""

from collections.abc import Iterator

from leadline.check.command import Command
from leadline.check.fault import Fault
from leadline.check.observation import Observation
from leadline.check.settings import collective_of, forced_algorithms

GRAVITY = 45


def find(seen: Observation, command: Command) -> Iterator[Fault]:
    """Tell of algorithms that the library cannot choose any more."""
    if not seen.ranks:
        return
    settings = forced_algorithms(seen.ranks[0].environment)
    if not settings:
        return
    names = " and ".join(dict.fromkeys(map(collective_of, settings)))
    yield Fault(
        ranks=tuple(rank.rank for rank in seen.ranks),
        text=f"{names} is forced to one algorithm at every size."
        if len(settings) == 1
        else f"{names} are forced to one algorithm each at every size.",
        evidence=tuple(f"{name}={value}" for name, value in settings.items()),
        fix=command.without_variables(settings),
    )
