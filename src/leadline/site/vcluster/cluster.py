"""What a virtual cluster is to be: its hosts, its switches and the rates of its links."""

import re
from typing import NamedTuple

import msgspec

from leadline.core.errors import UserError

HEAD = "head"
SWITCH = "switch"
BACKBONE = "backbone"
# What forwards late where links take time.
DELAY = "delay"
# The network interface of every host.
INTERFACE = "eth0"

MOST_NODES = 64
_HEAD_NUMBER = 254
_UNITS = {"kbit": 10**3, "mbit": 10**6, "gbit": 10**9}
_LOWEST, _HIGHEST = 10**6, 10**11
_TIMES_NS = {"us": 10**3, "ms": 10**6}
_LONGEST_NS = 10**8


class Node(NamedTuple):
    """A place in the cluster's network: a host, or the head node."""

    name: str
    number: int
    switch: int
    cluster: int = 0

    @property
    def address(self) -> str:
        """Its IPv4 address."""
        return f"10.77.{self.cluster}.{self.number}"

    @property
    def hardware_address(self) -> str:
        """Its Ethernet address, from those that anybody may use."""
        return f"02:00:0a:4d:{self.cluster:02x}:{self.number:02x}"


class Cluster(msgspec.Struct, frozen=True, kw_only=True):
    """A virtual cluster.

    `cores` holds for each host how many it has. `link` is the rate of every host's link and
    `backbone` that of the link between two switches, both in bits per second and in each
    direction. Each of these links takes `latency_ns` one way, those in `late_ns` what that says.
    Hosts are dealt to the switches in blocks. Clusters beside each other differ in their `number`,
    and so in their addresses.
    """

    cores: tuple[int, ...]
    link: int
    switches: int = 1
    backbone: int = 0
    latency_ns: int = 0
    late_ns: dict[str, int] = {}
    number: int = 0

    @property
    def hosts(self) -> tuple[Node, ...]:
        """The hosts: h0, h1, and so on."""
        count = len(self.cores)
        return tuple(
            Node(f"h{i}", i + 1, i * self.switches // count, self.number) for i in range(count)
        )

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The hosts and the head node, from which launchers start ranks."""
        return (*self.hosts, Node(HEAD, _HEAD_NUMBER, 0, self.number))

    @property
    def links(self) -> tuple[str, ...]:
        """The names of its links: those of the hosts, and the backbone where there is one."""
        return (*(host.name for host in self.hosts), *[BACKBONE] * (self.switches > 1))

    def link_latency_ns(self, link: str) -> int:
        """Return what a link takes one way, in nanoseconds."""
        return self.late_ns.get(link, self.latency_ns)

    @property
    def network(self) -> str:
        """Its IPv4 network."""
        return f"10.77.{self.number}.0/24"

    @property
    def host_file(self) -> str:
        """The text of /etc/hosts on each node."""
        lines = [f"{node.address}\t{node.name}" for node in self.nodes]
        return "\n".join(["127.0.0.1\tlocalhost", *lines, ""])


def cluster(
    nodes: int, cores: str, link: str, switches: int, backbone: str | None, latency: str = "0us"
) -> Cluster:
    """Return the cluster that the words of a command line ask for. Raises `UserError`."""
    if not 1 <= nodes <= MOST_NODES:
        raise UserError(f"{nodes} nodes: 1 to {MOST_NODES} are possible")
    if switches not in (1, 2) or switches > nodes:
        raise UserError(f"{switches} switches for {nodes} nodes: 1 is possible, or 2 for 2 or more")
    if backbone and switches == 1:
        raise UserError(f"backbone {backbone}: one switch has none, add --switches 2")
    rate = parse_rate(link)
    return Cluster(
        cores=_cores(cores, nodes),
        link=rate,
        switches=switches,
        backbone=parse_rate(backbone) if backbone else rate * (switches - 1),
        latency_ns=parse_latency(latency),
    )


def _cores(text: str, nodes: int) -> tuple[int, ...]:
    words = text.split(",")
    if not all(re.fullmatch(r"[1-9]\d{0,3}", word) for word in words):
        raise UserError(f"cores {text!r}: write 2, or one number for each node such as 2,2,1")
    if len(words) not in (1, nodes):
        raise UserError(f"cores {text!r}: there are {nodes} nodes and {len(words)} numbers")
    return tuple(int(word) for word in words) * (nodes if len(words) == 1 else 1)


def parse_rate(text: str) -> int:
    """Return the bits per second of a rate such as `2.5gbit`. Raises `UserError`."""
    rate = _parse(text, _UNITS)
    if not _LOWEST <= rate <= _HIGHEST:
        raise UserError(f"rate {text!r}: write it as 100mbit or 2.5gbit, from 1mbit to 100gbit")
    return rate


def parse_latency(text: str) -> int:
    """Return the nanoseconds of a latency such as `50us` or `1.5ms`. Raises `UserError`."""
    latency_ns = _parse(text, _TIMES_NS)
    if not 0 <= latency_ns <= _LONGEST_NS:
        raise UserError(f"latency {text!r}: write it as 50us or 1.5ms, up to 100ms")
    return latency_ns


def _parse(text: str, units: dict[str, int]) -> int:
    match = re.fullmatch(rf"(\d+(?:\.\d+)?)({'|'.join(units)})", text.strip().lower())
    return round(float(match[1]) * units[match[2]]) if match else -1


def check_name(name: str) -> None:
    """Raise `UserError` where a cluster cannot be called so."""
    if name and not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,31}", name):
        raise UserError(f"name {name!r}: up to 32 small letters, digits and dashes are possible")


def rate_text(rate: float) -> str:
    """Return a rate in bits per second as people read it.

    >>> rate_text(2.5e9), rate_text(1e8)
    ('2.5 Gbit/s', '100 Mbit/s')
    """
    return f"{rate / 1e9:g} Gbit/s" if rate >= 1e9 else f"{rate / 1e6:g} Mbit/s"
