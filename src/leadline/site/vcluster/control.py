"""A virtual cluster made, changed, looked at and removed.

Everything lies in namespaces and in one folder; the machine's own network is not touched.
"""

import contextlib
import fcntl
import json
import os
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from leadline.core import paths
from leadline.core.errors import UserError
from leadline.core.processes import own_cores
from leadline.model.hosts import Hosts
from leadline.site.vcluster import namespaces, network, usage
from leadline.site.vcluster.cluster import BACKBONE, HEAD, INTERFACE, SWITCH, Cluster, check_name

_PROGRAMS = Path(__file__).with_name("programs")
_COPIED = ("ssh", "head", "pin")
_DESCRIPTION = "cluster.json"
_CONTROL = "cubic"
_CONTROLS = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")


class HostStatus(msgspec.Struct, frozen=True, kw_only=True):
    """A host as it is now. `link_bps` is its link's rate in bits per second, each direction.

    `link_latency_s` is what its link takes one way beside.
    """

    name: str
    address: str
    state: Literal["up", "down"]
    cores: int
    switch: int
    link_bps: int | None
    link_latency_s: float
    cut: bool
    pid: int | None


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """A cluster as it is now; `backbone_bps` is None with one switch, `name` empty for none."""

    name: str
    folder: str
    remote_shell: str
    hosts: tuple[HostStatus, ...]
    backbone_bps: int | None
    backbone_latency_s: float
    backbone_cut: bool


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """A cluster among others: who made it and when (seconds since 1970), and who uses it.

    `since` is null where it was left half made, and `network` its addresses.
    """

    name: str
    folder: str
    network: str
    hosts: int
    hosts_up: int
    user: str
    since: float | None
    runs: tuple[str, ...]


# The cluster without a name has number 0.
_NUMBERS = range(1, 256)


def up(cluster: Cluster, name: str = "") -> None:
    """Make the cluster. Raises `UserError`, and leaves nothing behind then."""
    namespaces.require_tools()
    check_name(name)
    forwarder = network.build_delay() if cluster.latency_ns else None
    folder = paths.lab(name)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir()
    except FileExistsError:
        raise UserError(
            f"a virtual cluster is up already, or was left half made ({folder} exists): "
            f"`leadline virtual-cluster status{_option(name)}` shows it, "
            f"`leadline virtual-cluster down{_word(name)}` removes it, "
            "`leadline virtual-cluster up --name NAME` makes another one"
        ) from None
    except OSError as error:
        raise UserError(f"cannot make {folder}: {error.strerror}; set LEADLINE_LAB") from None
    try:
        _make(_describe(cluster, name, folder), folder, forwarder)
    except BaseException:
        with contextlib.suppress(UserError):
            down(name)
        raise


def _describe(cluster: Cluster, name: str, folder: Path) -> Cluster:
    """Write down the cluster and who makes it, with a number that none beside it has."""
    usage.write_owner(folder)
    parent = os.open(folder.parent, os.O_RDONLY)
    try:
        fcntl.flock(parent, fcntl.LOCK_EX)
        if name:
            taken = {_read(other).number for other in _folders() if (other / _DESCRIPTION).exists()}
            free = min(set(_NUMBERS) - taken, default=None)
            if free is None:
                raise UserError(f"{len(taken)} virtual clusters are up: there is no address left")
            cluster = msgspec.structs.replace(cluster, number=free)
        describe(cluster, folder)
    finally:
        os.close(parent)
    return cluster


def describe(cluster: Cluster, folder: Path) -> None:
    """Write down what the cluster is, whole or not at all."""
    unfinished = folder / f"{_DESCRIPTION}.new"
    unfinished.write_bytes(msgspec.json.encode(cluster))
    unfinished.replace(folder / _DESCRIPTION)


def _make(cluster: Cluster, folder: Path, forwarder: Path | None) -> None:
    (folder / "hosts").write_text(cluster.host_file)
    (folder / "cores").write_text(" ".join(map(str, own_cores())) + "\n")
    (folder / "tmp").mkdir()
    for program in _COPIED:
        shutil.copyfile(_PROGRAMS / program, folder / program)
        (folder / program).chmod(0o755)
    names = (SWITCH, *(node.name for node in cluster.nodes))
    started = {name: namespaces.hold(folder, name) for name in names}
    pids = {name: namespaces.await_holder(folder, name, started[name]) for name in names}
    namespaces.ip(pids[SWITCH], network.switch_lines(cluster, pids))
    namespaces.tc(pids[SWITCH], network.shape_links(cluster))
    control = _CONTROL if _CONTROL in _CONTROLS.read_text().split() else ""
    for node in cluster.nodes:
        namespaces.ip(pids[node.name], network.node_lines(cluster, node, control))
    slowest = min(cluster.link, cluster.backbone or cluster.link)
    for host in cluster.hosts:
        namespaces.ip(pids[host.name], [network.packet_line(slowest)])
        namespaces.tc(pids[host.name], [network.shape_line(INTERFACE, cluster.link)])
    if forwarder:
        network.start_delay(folder, pids[SWITCH], forwarder, network.delay_ports(cluster))


def reasons_to_ask(name: str = "") -> tuple[str, ...]:
    """Return in words why somebody may still want the cluster; none where nobody does.

    Raises `UserError`.
    """
    namespaces.require_tools()
    check_name(name)
    return usage.reasons_to_ask(paths.lab(name))


def down(name: str = "") -> bool:
    """Remove the cluster, whatever state it is in; tell whether there was anything.

    Raises `UserError` where something of it cannot be removed.
    """
    namespaces.require_tools()
    check_name(name)
    folder = paths.lab(name)
    if not folder.is_dir():
        return False
    namespaces.end_all(folder)
    for each in (*_COPIED, "hosts", "cores", usage.OWNER):
        (folder / each).unlink(missing_ok=True)
    for pattern in ("*.pid", "*.new", "*.log", usage.USES):
        for file in folder.glob(pattern):
            file.unlink(missing_ok=True)
    try:
        if (folder / "tmp").is_dir():
            (folder / "tmp").rmdir()
        (folder / _DESCRIPTION).unlink(missing_ok=True)
        folder.rmdir()
    except OSError as error:
        raise UserError(f"{folder} holds what is not the cluster's: {error.strerror}") from None
    return True


def find(name: str = "") -> Cluster:
    """Return the cluster that is up. Raises `UserError` where none is."""
    check_name(name)
    folder = paths.lab(name)
    try:
        return _read(folder)
    except (OSError, msgspec.DecodeError):
        raise UserError(
            f"no virtual cluster{_word(name)} is up: {folder} holds none, "
            f"`leadline virtual-cluster up{_option(name)}` makes one"
        ) from None


def summaries() -> tuple[Summary, ...]:
    """Return all clusters, the one without a name first."""
    return tuple(_summarize(folder) for folder in _folders())


def _summarize(folder: Path) -> Summary:
    owner = usage.read_owner(folder)
    try:
        cluster = _read(folder)
    except (OSError, msgspec.DecodeError):
        cluster = None
    members = cluster.hosts if cluster else ()
    return Summary(
        name=_name(folder),
        folder=str(folder),
        network=cluster.network if cluster else "",
        hosts=len(members),
        hosts_up=sum(namespaces.holder(folder, host.name) is not None for host in members),
        user=owner.user if owner else "",
        since=owner.since if owner and cluster else None,
        runs=tuple(use.run for use in usage.uses(folder)),
    )


def names() -> tuple[str, ...]:
    """Return the names of the clusters that are up, the empty one first."""
    return tuple(_name(each) for each in _folders() if (each / _DESCRIPTION).exists())


def _folders() -> Iterator[Path]:
    unnamed = paths.lab()
    named = sorted(unnamed.parent.glob(f"{unnamed.name}-*")) if unnamed.parent.is_dir() else []
    marks = (_DESCRIPTION, usage.OWNER)
    yield from [unnamed] if unnamed.is_dir() else []
    yield from (folder for folder in named if any((folder / mark).exists() for mark in marks))


def _name(folder: Path) -> str:
    return folder.name[len(paths.lab().name) + 1 :]


def _read(folder: Path) -> Cluster:
    return msgspec.json.decode((folder / _DESCRIPTION).read_bytes(), type=Cluster)


def _option(name: str) -> str:
    return f" --name {name}" if name else ""


def _word(name: str) -> str:
    return f" {name}" if name else ""


def hosts(name: str = "") -> Hosts:
    """Return the hosts that are up, for launchers. Raises `UserError` where none is."""
    cluster, folder = _open(name)
    again = (
        f"`leadline virtual-cluster down{_word(name)}`, then "
        f"`leadline virtual-cluster up{_option(name)}`"
    )
    alive = {
        host.name: cores
        for host, cores in zip(cluster.hosts, cluster.cores, strict=True)
        if namespaces.holder(folder, host.name) is not None
    }
    if not alive or namespaces.holder(folder, HEAD) is None:
        raise UserError(f"no host of the virtual cluster is up: {again}")
    if any(namespaces.holder(folder, each) is None for each in network.delays(cluster)):
        raise UserError(f"what forwards between the hosts of the virtual cluster is gone: {again}")
    return Hosts(
        names=tuple(alive),
        cores=tuple(alive.values()),
        remote_shell=str(folder / "ssh"),
        prefix=(str(folder / "head"),),
        interface=INTERFACE,
        shared_cores=len((folder / "cores").read_text().split()),
        pin=(str(folder / "pin"),),
    )


def status(name: str = "") -> Status:
    """Return how the cluster is now. Raises `UserError` where none is up."""
    cluster, folder = _open(name)
    rates, cut = _ports(folder)
    pids = {host.name: namespaces.holder(folder, host.name) for host in cluster.hosts}
    return Status(
        name=name,
        folder=str(folder),
        remote_shell=str(folder / "ssh"),
        hosts=tuple(
            HostStatus(
                name=host.name,
                address=host.address,
                state="down" if pids[host.name] is None else "up",
                cores=cores,
                switch=host.switch,
                link_bps=rates.get(host.name),
                link_latency_s=cluster.link_latency_ns(host.name) / 1e9,
                cut=host.name in cut,
                pid=pids[host.name],
            )
            for host, cores in zip(cluster.hosts, cluster.cores, strict=True)
        ),
        backbone_bps=rates.get(BACKBONE) if cluster.switches > 1 else None,
        backbone_latency_s=cluster.link_latency_ns(BACKBONE) / 1e9 if cluster.switches > 1 else 0.0,
        backbone_cut=BACKBONE in cut,
    )


def facts(name: str = "") -> dict[str, Any]:
    """Return what a run keeps of the cluster, ready for JSON. Raises `UserError` where none is up.

    `burst_bytes` pass a link at once, beyond its rate; null where it has none.
    """
    now = status(name)
    return {
        "hosts": [
            {
                "name": host.name,
                "switch": host.switch,
                "link_bit_per_s": host.link_bps,
                "link_latency_s": host.link_latency_s,
                "burst_bytes": None if host.link_bps is None else network.burst(host.link_bps),
            }
            for host in now.hosts
        ],
        "backbone_bit_per_s": now.backbone_bps,
        "backbone_latency_s": now.backbone_latency_s,
    }


def _ports(folder: Path) -> tuple[dict[str, int], set[str]]:
    pid = namespaces.holder(folder, SWITCH)
    if pid is None:
        return {}, set()
    devices = json.loads(namespaces.ask(pid, "ip", "-json", "link", "show") or "[]")
    buckets = json.loads(namespaces.ask(pid, "tc", "-json", "qdisc", "show") or "[]")
    rates = {b["dev"]: 8 * b["options"]["rate"] for b in buckets if b["kind"] == "tbf"}
    return rates, {each["ifname"] for each in devices if "UP" not in each["flags"]}


def kill(name: str, lab: str = "") -> None:
    """End a host at once with all that runs on it. Raises `UserError` where it is not up."""
    cluster, folder = _open(lab)
    _require_host(folder, name, [host.name for host in cluster.hosts])
    namespaces.end_holder(folder, name)


def command_on(name: str, command: tuple[str, ...], lab: str = "") -> list[str]:
    """Return what executes a command on a host, or on the head node. Raises `UserError`."""
    cluster, folder = _open(lab)
    _require_host(folder, name, [node.name for node in cluster.nodes])
    if name == HEAD:
        return [str(folder / "head"), *command]
    return [str(folder / "ssh"), name, f"exec {shlex.join(command)}"]


def _open(name: str) -> tuple[Cluster, Path]:
    namespaces.require_tools()
    return find(name), paths.lab(name)


def _require_host(folder: Path, name: str, names: list[str]) -> None:
    if name not in names:
        raise UserError(f"no host {name!r}: there is {', '.join(names)}")
    alive(folder, name)


def alive(folder: Path, name: str) -> int:
    """Return the process that holds a node. Raises `UserError` where it is down."""
    pid = namespaces.holder(folder, name)
    if pid is None:
        raise UserError(
            f"{name} is down: `leadline virtual-cluster down`, then `up`, makes the cluster again"
        )
    return pid
