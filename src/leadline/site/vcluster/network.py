"""The cluster's network in the words of `ip` and `tc`: pure functions to lines of their batches.

Every host has one link, a pair of virtual Ethernet devices: `eth0` on the host, and on its switch
a port that is called after the host. A token bucket at either end gives each direction its rate.
All of it lies in namespaces of the cluster's own.
"""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from leadline.core import paths
from leadline.core.errors import UserError
from leadline.site.vcluster import namespaces
from leadline.site.vcluster.cluster import BACKBONE, DELAY, INTERFACE, Cluster, Node

# A bucket holds what passes without waiting, at the speed of memory. A small one shapes messages of
# a few KiB as a wire does, but packets wait for a timer, and what a bucket cannot hold while the
# timer is late is lost: at 1 Gbit/s a bucket of 8 KiB delivers half of that on a busy machine. A
# token bucket never makes a packet wait that finds it full, so a ping-pong of what fits, whose
# buckets fill up while they rest, moves up to twice the rate; findings are told how much that is.
_BURST_BYTES = 16 * 1024
_BURST_SECONDS = 200e-6
# TCP hands packets of up to this size to the device. One that is larger than the bucket is cut into
# frames, each with a timer of its own: 1 Gbit/s then delivers 750 Mbit/s here, and with packets of
# half a bucket 940.
_LARGEST_PACKET_BYTES = 65536
# What a switch holds back for a full link before it drops.
_QUEUE_SECONDS = 20e-3
_FAR_END = f"{BACKBONE}-end"
# The two devices between the port of a late link and its bridge.
_LATE, _BRIDGED = "late", "port"


def switch_lines(cluster: Cluster, pids: Mapping[str, int]) -> Iterator[str]:
    """Yield what `ip` has to do among the switches; `pids` are the nodes' holders by name.

    Bridges forward at once: where links take time, the program `delay` forwards instead.
    """
    bridges = not cluster.latency_ns
    for number in range(cluster.switches if bridges else 0):
        yield f"link add sw{number} type bridge"
        yield from _up(f"sw{number}")
    if cluster.switches > 1:
        yield f"link add {BACKBONE} type veth peer name {_FAR_END}"
        for device, number in ((BACKBONE, 0), (_FAR_END, 1)):
            if bridges:
                yield f"link set {device} master sw{number}"
            yield from _up(device)
    for node in cluster.nodes:
        yield (
            f"link add {node.name} type veth peer name {INTERFACE} "
            f"address {node.hardware_address} netns {pids[node.name]}"
        )
        if bridges:
            yield f"link set {node.name} master sw{node.switch}"
        yield from _up(node.name)


def node_lines(cluster: Cluster, node: Node, congestion_control: str) -> Iterator[str]:
    """Yield what `ip` has to do on a node.

    Neighbours are known beforehand, so that no message waits for an address to be resolved and
    the machine's one table of neighbours does not fill. `congestion_control` is that of TCP, or
    empty for the kernel's own choice.
    """
    yield "link set lo up"
    yield from _up(INTERFACE)
    yield f"addr add {node.address}/24 dev {INTERFACE} noprefixroute"
    control = f" congctl {congestion_control}" if congestion_control else ""
    yield f"route add {cluster.network} dev {INTERFACE} src {node.address}{control}"
    for other in cluster.nodes:
        if other != node:
            yield (
                f"neigh add {other.address} lladdr {other.hardware_address} dev {INTERFACE} "
                "nud permanent"
            )


def shape_links(cluster: Cluster) -> Iterator[str]:
    """Yield what `tc` has to do among the switches."""
    for host in cluster.hosts:
        yield shape_line(host.name, cluster.link)
    if cluster.switches > 1:
        yield from (shape_line(device, cluster.backbone) for device in ends(BACKBONE))


def ends(link: str) -> tuple[str, ...]:
    """Return the devices of a link that lie among the switches."""
    return (BACKBONE, _FAR_END) if link == BACKBONE else (link,)


def delay_ports(cluster: Cluster) -> Iterator[str]:
    """Yield the ports of the switches as `delay` reads them.

    DEVICE,SWITCH,ADDRESS,IN,OUT: the nanoseconds that what comes in and what goes out there takes;
    a link between switches has no address, and takes its time on the way out. The head's is none
    of the cluster's links.
    """
    for host in cluster.hosts:
        yield _port(cluster, host)
    head = cluster.nodes[-1]
    yield f"{head.name},{head.switch},{head.hardware_address},0,0"
    if cluster.switches > 1:
        for number, device in enumerate(ends(BACKBONE)):
            yield f"{device},{number},-,0,{cluster.link_latency_ns(BACKBONE)}"


def _port(cluster: Cluster, host: Node) -> str:
    time = cluster.link_latency_ns(host.name)
    return f"{host.name},{host.switch},{host.hardware_address},{time},{time}"


def late_lines(cluster: Cluster, link: str) -> Iterator[str]:
    """Yield what `ip` has to do so that one link passes `delay` on its way to the bridge."""
    late, bridged = _between(link)
    yield f"link add {late} type veth peer name {bridged}"
    yield f"link set {link} nomaster"
    yield f"link set {bridged} master sw{_switch(cluster, link)}"
    yield from (line for device in (late, bridged) for line in _up(device))


def late_ports(cluster: Cluster, link: str) -> tuple[str, str]:
    """Return the two ports of that `delay`, which takes the time of the link in both directions."""
    host = next((each for each in cluster.hosts if each.name == link), None)
    time = cluster.link_latency_ns(link)
    port = _port(cluster, host) if host else f"{link},0,-,{time},{time}"
    return port, f"{_between(link)[0]},{host.switch if host else 0},-,0,0"


def prompt_lines(cluster: Cluster, link: str) -> Iterator[str]:
    """Yield what `ip` has to do so that the link is at its bridge again."""
    yield f"link del {_between(link)[0]}"
    yield f"link set {link} master sw{_switch(cluster, link)}"


def _between(link: str) -> tuple[str, str]:
    return f"{link}-{_LATE}", f"{link}-{_BRIDGED}"


def _switch(cluster: Cluster, link: str) -> int:
    return next((host.switch for host in cluster.hosts if host.name == link), 0)


def shape_line(device: str, rate: int) -> str:
    """Return what `tc` has to do for a rate in bits per second of what `device` sends."""
    bucket = burst(rate)
    queue = bucket + round(rate / 8 * _QUEUE_SECONDS)
    return f"qdisc replace dev {device} root tbf rate {rate}bit burst {bucket} limit {queue}"


def packet_line(rate: int) -> str:
    """Return what `ip` has to do on a host for packets that suit a rate in bits per second."""
    size = min(burst(rate) // 2, _LARGEST_PACKET_BYTES)
    return f"link set {INTERFACE} gso_max_size {size}"


def burst(rate: int) -> int:
    """Return the bytes that pass a link of a rate in bits per second at once."""
    return max(_BURST_BYTES, round(rate / 8 * _BURST_SECONDS))


def _up(device: str) -> Iterator[str]:
    # Without link-local addresses the cluster's devices say nothing by themselves.
    yield f"link set {device} addrgenmode none"
    yield f"link set {device} up"


_SOURCE = Path(__file__).with_name("programs") / "delay.cpp"


def build_delay() -> Path:
    """Return the program, built where it was not yet. Raises `UserError`."""
    delays = filter(None, (os.environ.get("CXX"), "c++", "g++", "clang++"))
    compiler = next(filter(None, map(shutil.which, delays)), None)
    if compiler is None:
        raise UserError("links with a latency need a C++ compiler: install g++ or set CXX")
    content = hashlib.sha256(_SOURCE.read_bytes()).hexdigest()[:12]
    program = paths.home() / "lab" / f"delay-{content}"
    if program.exists():
        return program
    unfinished = program.with_suffix(f".{os.getpid()}")
    try:
        program.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot make {program.parent}: {error.strerror}") from None
    words = [compiler, "-std=c++20", "-O2", str(_SOURCE), "-o", str(unfinished)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        reason = next((line for line in done.stderr.splitlines() if "error" in line), "no word why")
        raise UserError(f"{compiler} cannot build_delay {_SOURCE.name}: {reason}")
    unfinished.replace(program)
    return program


def start_delay(
    folder: Path, switch: int, program: Path, ports: Iterable[str], name: str = DELAY
) -> None:
    """Start it in the network of process `switch`. Raises `UserError` where it does not work.

    Of several in a cluster each has a `name`.
    """
    argv = [str(program), str(folder / f"{name}.pid"), *ports]
    entering = ["nsenter", f"--net=/proc/{switch}/ns/net", "--", *argv]
    started = namespaces.start_marked(folder, name, entering)
    namespaces.await_holder(folder, name, started)


def delays(cluster: Cluster) -> tuple[str, ...]:
    """Return the delays of all that forward late in a cluster: one for all links, or one each."""
    return (DELAY,) if cluster.latency_ns else tuple(map(delay_of_link, cluster.late_ns))


def delay_of_link(link: str) -> str:
    """Return the name of what forwards late on one link alone."""
    return f"{DELAY}-{link}"
