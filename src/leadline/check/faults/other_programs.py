"""Other programs that take the cores which ranks want."""

from collections.abc import Iterator

from leadline.check.command import Command
from leadline.check.crowding import busy_threads, confined
from leadline.check.fault import Fault
from leadline.check.observation import Observation
from leadline.core.units import number, percent

GRAVITY = 55
_MOST_NAMED = 3


def find(seen: Observation, command: Command) -> Iterator[Fault]:
    """Tell who was busy where ranks waited for cores, unless they take them from each other."""
    others = seen.machine.others
    room = len(seen.usable) - busy_threads(seen.ranks)
    if not others or confined(seen) or sum(each.cores for each in others) <= max(room, 0) + 0.2:
        return
    waiting = [
        (rank.rank, 1 - thread.ran / thread.wanted)
        for rank in seen.ranks
        for thread in rank.busy
        if thread.ran < 0.75 * thread.wanted
    ]
    if not waiting:
        return
    share = max(lost for _, lost in waiting)
    yield Fault(
        ranks=tuple(sorted({rank for rank, _ in waiting})),
        text=f"Other programs take the ranks' cores: a rank waited {percent(share)} of the time.",
        evidence=tuple(
            f"{each.command} (pid {each.pid}, {each.user}) used {number(each.cores)} cores"
            for each in others[:_MOST_NAMED]
        ),
        fix=f"sudo renice -n 19 -p {' '.join(str(each.pid) for each in others)}",
    )
