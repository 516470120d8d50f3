"""The answer to `leadline check`, as the shape that `--json` prints."""

import re
from collections.abc import Iterable, Iterator

import msgspec

from leadline.check.fault import Fault
from leadline.check.faults import find_faults
from leadline.check.observation import Connection, Observation
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
    names = [library.name for rank in seen.ranks[:1] for library in rank.libraries]
    components = {match[1] for name in names if (match := _COMPONENT.match(name))}
    others = {_TAKING_OVER.get(name.partition(".")[0], "") for name in names}
    return tuple(sorted(components | others - {""}))


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
    yield from _tcp(each for each in seen.connections if each.other is not None)


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
    yield from _tcp(each for each in seen.connections if each.other is None)


def _tcp(connections: Iterable[Connection]) -> Iterator[str]:
    if moved := [each.moved_bytes or 0 for each in connections]:
        yield f"TCP ({about_bytes(sum(moved))} in the look)"


class CheckedThread(msgspec.Struct, frozen=True, kw_only=True):
    """A thread: where it may run and was seen, and which share of the look it wanted and had."""

    thread: int
    name: str
    cores: tuple[int, ...]
    seen_on: tuple[int, ...]
    wanted: float
    ran: float


class CheckedRank(msgspec.Struct, frozen=True, kw_only=True):
    """A rank as the kernel has it."""

    rank: int
    host: str
    pid: int
    cores: tuple[int, ...]
    threads: tuple[CheckedThread, ...]
    library: str


class LaunchCheck(msgspec.Struct, frozen=True, kw_only=True):
    """What was found in a look at a command.

    `elsewhere` counts ranks on other hosts, which were not looked at. `status` is the exit status
    of the command, null where it was still running. `not_judged` names rules that failed, with the
    error.
    """

    findings: tuple[Fault, ...]
    ranks: tuple[CheckedRank, ...]
    transports: tuple[Transport, ...]
    collectives: tuple[str, ...]
    launcher: str
    command: tuple[str, ...]
    seconds: float
    elsewhere: int
    status: int | None
    not_judged: tuple[str, ...] = ()


def report(seen: Observation) -> LaunchCheck:
    """Return the answer for an observation: what is wrong in it, and what was seen."""
    faults, failed = find_faults(seen)
    return LaunchCheck(
        findings=faults,
        ranks=tuple(
            CheckedRank(
                rank=rank.rank,
                host=rank.host,
                pid=rank.pid,
                cores=rank.cores,
                threads=msgspec.convert(
                    rank.threads, tuple[CheckedThread, ...], from_attributes=True
                ),
                library=rank.mpi[0].path if rank.mpi else "",
            )
            for rank in seen.ranks
        ),
        transports=transports(seen),
        collectives=collective_components(seen),
        launcher=seen.launcher,
        command=seen.command,
        seconds=round(seen.seconds, 2),
        elsewhere=seen.elsewhere,
        status=seen.status,
        not_judged=failed,
    )
