"""Ranks of one host that talk by TCP instead of shared memory."""

from collections.abc import Iterator

from leadline.check.command import Command
from leadline.check.fault import Fault
from leadline.check.observation import Observation, Rank, format_ranks
from leadline.check.settings import narrowing
from leadline.core.units import about_bytes

GRAVITY = 20
# Libraries that wire themselves up by TCP move less than this.
_WIRING_BYTES = 256 * 1024


def find(seen: Observation, command: Command) -> Iterator[Fault]:
    """Tell of connections between ranks here that carry messages."""
    carrying = []
    ranks = {rank.rank: rank for rank in seen.ranks}
    for each in seen.connections:
        if each.other is None or each.other not in ranks or each.rank not in ranks:
            continue
        if _hosts(ranks[each.rank]) != _hosts(ranks[each.other]):
            continue
        share = set(ranks[each.rank].segments) & set(ranks[each.other].segments)
        if (each.moved_bytes or 0) > _WIRING_BYTES or not share:
            carrying.append(each)
    if not carrying or seen.separate_views:
        return
    moved = sum(each.moved_bytes or 0 for each in carrying)
    involved = tuple(sorted({rank for each in carrying for rank in (each.rank, each.other or 0)}))
    settings = narrowing(ranks[involved[0]].environment)
    yield Fault(
        ranks=involved,
        text=f"{format_ranks(involved).capitalize()} talk by TCP, not by shared memory.",
        evidence=(
            f"{about_bytes(moved)} went through {len(carrying)} "
            f"connection{'s' if len(carrying) > 1 else ''} in the look",
            *(f"{name}={value}" for name, value in settings.items()),
        ),
        fix=command.without_variables(settings) if settings else _open(seen, command),
    )


def _hosts(rank: Rank) -> tuple[str | None, ...]:
    """Return what makes a host of its own of a part of this one, as in a virtual cluster."""
    return rank.namespaces.get("uts"), rank.namespaces.get("net")


def _open(seen: Observation, command: Command) -> str:
    if not seen.elsewhere and any(
        each.name.startswith("libucp.") for each in seen.ranks[0].libraries
    ):
        # UCX takes TCP for large messages where single copies are refused.
        return command.with_variable("UCX_TLS", "^tcp")
    if "openmpi" in command.launcher.families and command.launcher.name.startswith("openmpi"):
        shared = "vader" if command.launcher.name == "openmpi4" else "sm"
        return command.with_variable("OMPI_MCA_btl", f"self,{shared},tcp")
    return "Install an MPI that was built with shared memory, or give the ranks one /dev/shm."
