"""A control group that stops the ranks for part of the time."""

from collections.abc import Iterator

from leadline.check.command import Command
from leadline.check.crowding import busy_threads
from leadline.check.fault import Fault
from leadline.check.observation import Observation
from leadline.core.units import number, percent

GRAVITY = 5
_NOTICEABLE = 0.02


def find(seen: Observation, command: Command) -> Iterator[Fault]:
    """Tell of a quota that the ranks use up, or will when all of them are busy."""
    rationed = [rank for rank in seen.ranks if rank.quota_cores is not None]
    if not rationed:
        return
    worst = min(rationed, key=lambda rank: rank.quota_cores or 0.0)
    quota = worst.quota_cores or 0.0
    stopped = max(rank.throttled_s for rank in rationed)
    share = stopped / max(seen.seconds, 0.1)
    if share < _NOTICEABLE and busy_threads(rationed) <= quota:
        return
    unlimited = "max" if worst.quota_file.endswith("cpu.max") else "-1"
    yield Fault(
        ranks=tuple(rank.rank for rank in rationed),
        text=f"{len(rationed)} rank{'s' if len(rationed) > 1 else ''} may use {number(quota)} "
        f"core{'s' if quota > 1 else ''} together: the kernel stops them.",
        evidence=(
            *([f"stopped {percent(min(share, 1.0))} of the time"] if share >= _NOTICEABLE else []),
            f"the limit is in {worst.quota_file}",
            "in a container or pod, raise its limit of CPUs (`docker update --cpus`)",
        ),
        fix=f"echo {unlimited} | sudo tee {worst.quota_file}",
    )
