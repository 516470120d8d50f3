"""Messages between hosts that go by TCP although there is a faster network."""

from collections.abc import Iterator

from leadline.check.command import Command
from leadline.check.fault import Fault
from leadline.check.observation import Observation
from leadline.check.settings import narrowing
from leadline.core.units import about_bytes

GRAVITY = 18
_WIRING_BYTES = 1 << 20
_DEVICES = ("/dev/infiniband/", "/dev/hfi1", "/dev/cxi", "/dev/ipath")


def find(seen: Observation, command: Command) -> Iterator[Fault]:
    """Tell of TCP to other hosts where no rank has opened the RDMA device."""
    opened = any(device.startswith(_DEVICES) for rank in seen.ranks for device in rank.devices)
    away = [each for each in seen.connections if each.other is None]
    moved = sum(each.moved_bytes or 0 for each in away)
    if not seen.machine.rdma or opened or moved < _WIRING_BYTES:
        return
    settings = narrowing(seen.ranks[0].environment)
    yield Fault(
        ranks=tuple(sorted({each.rank for each in away})),
        text=f"Messages to other hosts go by TCP, and {', '.join(seen.machine.rdma)} is not used.",
        evidence=(
            f"{about_bytes(moved)} went to {', '.join(sorted({each.address for each in away}))}",
            "no rank has opened a device of it",
            *(f"{name}={value}" for name, value in settings.items()),
        ),
        fix=command.without_variables(settings)
        if settings
        else "Install an MPI with UCX or libfabric for this network (`leadline mpi` lists yours).",
    )
