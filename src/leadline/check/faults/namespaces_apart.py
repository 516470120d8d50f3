"""Ranks of one host in containers of their own, which share no memory."""

from collections.abc import Iterator

from leadline.check.command import Command
from leadline.check.fault import Fault
from leadline.check.observation import Observation, format_ranks

GRAVITY = 19
_MEANING = {
    "ipc": "System V shared memory",
    "pid": "process numbers",
    "user": "users, so that single copies are refused",
}


def find(seen: Observation, command: Command) -> Iterator[Fault]:
    """Tell of ranks with one host name whose views of the system differ."""
    apart = seen.separate_views
    if not apart:
        return
    ranks = sorted({rank.rank for each in apart.values() for rank in each})
    unshared = "unshare" in (*command.before, *command.program)
    yield Fault(
        ranks=tuple(ranks),
        text=f"{format_ranks(ranks).capitalize()} run in namespaces of their own: "
        "memory is hard to share.",
        evidence=tuple(f"each has its own {_MEANING[kind]}" for kind in apart),
        fix=command.unconfined()
        if unshared
        else "Start one container a host and all its ranks in it (`apptainer instance start`), or "
        "let the containers share IPC, PID and user namespaces.",
    )
