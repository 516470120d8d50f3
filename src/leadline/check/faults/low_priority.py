"""Ranks that everybody else on the host goes before."""

from collections.abc import Iterator

from leadline.check.command import Command
from leadline.check.fault import Fault
from leadline.check.observation import Observation, format_ranks

GRAVITY = 25
# sched(7).
_POLICIES = {3: "SCHED_BATCH", 5: "SCHED_IDLE"}


def find(seen: Observation, command: Command) -> Iterator[Fault]:
    """Tell of ranks with a nice value above 0, or a policy for work in the background."""
    low = {
        rank.rank: rank.threads[0]
        for rank in seen.ranks
        if rank.threads and (rank.threads[0].nice > 0 or rank.threads[0].policy in _POLICIES)
    }
    if not low:
        return
    first = next(iter(low.values()))
    words = {word.rpartition("/")[2] for word in (*command.before, *command.program)}
    pids = " ".join(str(rank.pid) for rank in seen.ranks if rank.rank in low)
    yield Fault(
        ranks=tuple(low),
        text=f"{format_ranks(low).capitalize()} run with low priority: other programs go first.",
        evidence=(
            f"the nice value is {first.nice}"
            if first.nice > 0
            else f"the scheduling policy is {_POLICIES[first.policy]}",
        ),
        fix=command.unconfined() if words & {"nice", "chrt"} else f"sudo renice -n 0 -p {pids}",
    )
