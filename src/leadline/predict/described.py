"""The LogGP parameters of a platform."""

from collections.abc import Sequence

from leadline.model.platform import Factor, Platform, Step
from leadline.model.prediction import LogGPMachine, Way

_DOUBLE_BYTES = 8


def machine_of(platform: Platform) -> LogGPMachine:
    """Return what LogGP takes of the platform: its overheads, rates, latencies and ports.

    A message that waits for its receiver has no overheads, as in a simulation. A reduction takes
    one operation for each double, a copy the bandwidth within a node.
    """
    network, node, software = platform.network, platform.node, platform.software
    rate, port, latency_s = _port(platform)
    more_links = latency_s / network.latency_s if network.latency_s else 0.0
    between = _wire(network.latency_s, rate, network.latency_factors, network.bandwidth_factors)
    send, receive = (
        _up_to(software.eager_bytes, steps) for steps in (software.send, software.receive)
    )
    within = _wire(node.latency_s, node.bandwidth, node.latency_factors, node.bandwidth_factors)
    return LogGPMachine(
        name=platform.name,
        origin="platform",
        between=Way(send=send, receive=receive, wire=between),
        within=Way(send=send, receive=receive, wire=within),
        port_fraction=rate / port,
        one_medium=platform.topology.get("kind") == "bus",
        links=more_links,
        by_distance=True,
        contention=True,
        eager_bytes=software.eager_bytes,
        reduce_s_per_byte=1 / (_DOUBLE_BYTES * node.flops),
        copy_s_per_byte=1 / node.bandwidth,
        nodes=platform.nodes,
        assumed=("ways through the network are fixed",),
    )


def _port(platform: Platform) -> tuple[float, float, float]:
    """Return the rate of one message, that of all of a node's together, and the latency beside the
    links: two ways between node and network.
    """
    shape = platform.topology
    link = platform.network.bandwidth
    if nic := float(shape.get("nic_bandwidth", 0.0)):
        return min(nic, link), nic, 2 * float(shape.get("nic_latency_s", 0.0))
    if shape.get("kind") == "torus":
        return link, link * sum(1 if size == 2 else 2 for size in shape["shape"] if size > 1), 0.0
    rails = shape.get("rails") or (shape.get("up") or [1])[0]
    return link, link * rails, 0.0


def _up_to(eager_bytes: int, steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return the steps below a size, from which on there is nothing.

    >>> _up_to(64, [Step(0, 1.0), Step(8, 2.0), Step(80, 3.0)])
    (Step(bytes=0, seconds=1.0, seconds_per_byte=0.0), Step(bytes=8, seconds=2.0, \
seconds_per_byte=0.0), Step(bytes=64, seconds=0.0, seconds_per_byte=0.0))
    """
    return (*(step for step in steps if step.bytes < eager_bytes), Step(eager_bytes, 0.0))


def _wire(
    latency_s: float, bandwidth: float, latency: Sequence[Factor], rate: Sequence[Factor]
) -> tuple[Step, ...]:
    """Return latency and seconds per byte from each size on at which a factor changes.

    >>> _wire(1.0, 2.0, [Factor(0, 1.0), Factor(8, 3.0)], [Factor(0, 0.5)])
    (Step(bytes=0, seconds=1.0, seconds_per_byte=1.0), Step(bytes=8, seconds=3.0, \
seconds_per_byte=1.0))
    """
    sizes = sorted({each.bytes for each in (*latency, *rate)})
    return tuple(
        Step(size, latency_s * _at(latency, size), 1 / (bandwidth * _at(rate, size)))
        for size in sizes
    )


def _at(factors: Sequence[Factor], size: int) -> float:
    return [each.factor for each in factors if each.bytes <= size][-1]
