"""A /dev/shm that is too small for the ranks of this host."""

from collections.abc import Iterator

from leadline.check.command import Command
from leadline.check.fault import Fault
from leadline.check.observation import Observation
from leadline.core.units import about_bytes

GRAVITY = 23
_FREE_BYTES_PER_RANK = 16 << 20
_SIZE_BYTES_PER_RANK = 64 << 20


def find(seen: Observation, command: Command) -> Iterator[Fault]:
    """Tell of little room in what ranks exchange messages through."""
    told = [rank for rank in seen.ranks if rank.shared_memory_free_bytes is not None]
    if len(told) < 2:
        return
    free = min(rank.shared_memory_free_bytes or 0 for rank in told)
    size = min(rank.shared_memory_bytes or 0 for rank in told)
    if free >= _FREE_BYTES_PER_RANK * len(told):
        return
    wanted = max(_SIZE_BYTES_PER_RANK * len(told), 2 * size)
    apart = told[0].namespaces.get("mnt") != seen.machine.namespaces.get("mnt")
    inside = f"nsenter --mount --target {told[0].pid} " if apart else ""
    yield Fault(
        ranks=tuple(rank.rank for rank in told),
        text=f"/dev/shm has {about_bytes(free)} free for {len(told)} ranks: "
        "a full one ends jobs with a bus error.",
        evidence=(
            f"its size is {about_bytes(size)}",
            f"a container takes --shm-size={wanted >> 20}m",
        ),
        fix=f"sudo {inside}mount -o remount,size={wanted >> 20}m /dev/shm",
    )
