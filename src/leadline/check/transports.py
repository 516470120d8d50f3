"""By which ways the ranks' messages go, at each distance, and who runs their collectives."""

import re
from collections.abc import Iterator

import msgspec

from leadline.check.observation import Observation
from leadline.core.units import about_bytes

ON_THIS_HOST, TO_OTHER_HOSTS = "on this host", "to other hosts"
_DEVICES = {
    "/dev/infiniband/": "verbs (InfiniBand, RoCE)",
    "/dev/hfi1": "Omni-Path",
    "/dev/cxi": "Slingshot",
    "/dev/xpmem": "XPMEM",
    "/dev/knem": "KNEM",
}
_INSIDE = ("/dev/xpmem", "/dev/knem")
_PROVIDER = re.compile(r"lib(\w+)-fi\.so")
_COMPONENT = re.compile(r"mca_coll_(\w+)\.so")
# Libraries that take collectives over from the MPI.
_TAKING_OVER = {"libhcoll": "hcoll", "libucc": "ucc", "libsharp_coll": "sharp"}


class Transport(msgspec.Struct, frozen=True, kw_only=True):
    """The ways of messages at one distance, as maps, devices and connections show them."""

    distance: str
    ways: tuple[str, ...]


def transports(seen: Observation) -> tuple[Transport, ...]:
    """Return what is known of each distance at which there are ranks; nothing is guessed."""
    found = []
    if len(seen.ranks) > 1:
        found.append(Transport(distance=ON_THIS_HOST, ways=tuple(_inside(seen))))
    if seen.elsewhere:
        found.append(Transport(distance=TO_OTHER_HOSTS, ways=tuple(_between(seen))))
    return tuple(found)


def collective_components(seen: Observation) -> tuple[str, ...]:
    """Return the components for collectives that the ranks have loaded as files of their own."""
    names = (library.name for rank in seen.ranks[:1] for library in rank.libraries)
    found: dict[str, None] = {}
    for name in names:
        if match := _COMPONENT.match(name):
            found.setdefault(match[1])
        elif own := _TAKING_OVER.get(name.partition(".")[0]):
            found.setdefault(own)
    return tuple(sorted(found))


def _inside(seen: Observation) -> Iterator[str]:
    pairs = [(one, other) for one in seen.ranks for other in seen.ranks if one.rank < other.rank]
    sharing = sum(bool(set(one.segments) & set(other.segments)) for one, other in pairs)
    if sharing:
        yield (
            "shared memory"
            if sharing == len(pairs)
            else f"shared memory ({sharing} of {len(pairs)} pairs)"
        )
    opened = {device for rank in seen.ranks for device in rank.devices}
    yield from (title for path, title in _DEVICES.items() if path in _INSIDE and path in opened)
    within = [each for each in seen.connections if each.other is not None]
    if within:
        moved = sum(each.moved_bytes or 0 for each in within)
        yield f"TCP ({about_bytes(moved)} in the look)"


def _between(seen: Observation) -> Iterator[str]:
    opened = {device for rank in seen.ranks for device in rank.devices}
    for path, title in _DEVICES.items():
        if path not in _INSIDE and any(device.startswith(path) for device in opened):
            yield title
    providers = {
        match[1]
        for rank in seen.ranks
        for library in rank.libraries
        if (match := _PROVIDER.match(library.name))
    }
    if providers:
        yield f"libfabric has loaded {', '.join(sorted(providers))}"
    away = [each for each in seen.connections if each.other is None]
    if away:
        moved = sum(each.moved_bytes or 0 for each in away)
        yield f"TCP ({about_bytes(moved)} in the look)"
