"""Ranks of one host in containers of their own, which share no memory."""

from collections.abc import Iterator

from leadline.check.command import Command
from leadline.check.fault import Fault
from leadline.check.observation import Observation, Rank, format_ranks

GRAVITY = 19
_MEANING = {
    "ipc": "System V shared memory",
    "pid": "process numbers",
    "user": "users, so that single copies are refused",
}


def find(seen: Observation, command: Command) -> Iterator[Fault]:
    """Tell of ranks with one host name whose views of the system differ."""
    hosts: dict[str, list[Rank]] = {}
    for rank in seen.ranks:
        hosts.setdefault(rank.namespaces.get("uts", ""), []).append(rank)
    for ranks in hosts.values():
        apart = [
            kind for kind in _MEANING if len({each.namespaces.get(kind, "") for each in ranks}) > 1
        ]
        if not apart:
            continue
        unshared = "unshare" in (*command.before, *command.program)
        yield Fault(
            ranks=tuple(rank.rank for rank in ranks),
            text=f"{format_ranks(rank.rank for rank in ranks).capitalize()} run in namespaces of "
            "their own: memory is hard to share.",
            evidence=tuple(f"each has its own {_MEANING[kind]}" for kind in apart),
            fix=command.unconfined()
            if unshared
            else "Start one container a host and all its ranks in it (`apptainer instance start`), or "
            "let the containers share IPC, PID and user namespaces.",
        )
