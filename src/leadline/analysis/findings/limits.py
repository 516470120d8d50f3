"""Physical limits of the hardware, and which of them holds for a result."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from leadline.model.imported import Bound
from leadline.model.run import Run
from leadline.model.summary import PointSummary, Sweep

if TYPE_CHECKING:
    from leadline.analysis.findings.evidence import Evidence

# Hosts of a virtual cluster have links of their own, of which the machine's devices say nothing.
_VIRTUAL = "lab"
# A limit may be rounded, as a figure is.
_ROUNDED = 1.02


def bounds_of(run: Run) -> tuple[Bound, ...]:
    """Return the limits that the run itself tells: those of an import, or of the machine's links.

    A machine's link counts where the run used several hosts, and is the fastest that is up. Of a
    virtual cluster it is the fastest way between two of the hosts, and the latency of the shortest.
    """
    if run.imported:
        return run.imported.bounds
    if not run.plan.hosts:
        return ()
    source, chosen, first = run.plan.hosts[0].partition(":")
    if source.partition("/")[0] == _VIRTUAL:
        cluster = run.machine.get("virtual_cluster") or {}
        used = {first, *run.plan.hosts[1:]} if chosen else None
        return _virtual_bounds(
            [host for host in cluster.get("hosts", ()) if used is None or host["name"] in used],
            cluster,
        )
    fastest = max(_links(run), default=None)
    if fastest is None:
        return ()
    rate, name = fastest
    return (
        Bound(quantity="bandwidth_MBps", value=rate / 8e6, where="network", source=f"link {name}"),
    )


def _virtual_bounds(
    hosts: Sequence[Mapping[str, Any]], cluster: Mapping[str, Any]
) -> tuple[Bound, ...]:
    # A host that is down, or a link without a rate, says nothing of what was possible.
    if len(hosts) < 2 or not all(host["link_bit_per_s"] for host in hosts):
        return ()
    backbone = cluster.get("backbone_bit_per_s")
    rate = max(
        min(
            one["link_bit_per_s"],
            other["link_bit_per_s"],
            *([backbone] if backbone and one["switch"] != other["switch"] else []),
        )
        for one, other in itertools.combinations(hosts, 2)
    )
    burst = max(host["burst_bytes"] for host in hosts)
    bandwidth = Bound(
        quantity="bandwidth_MBps",
        value=rate / 8e6,
        where="network",
        source="link of the virtual cluster",
        burst_bytes=burst,
    )
    # Runs of an earlier leadline do not say.
    latency_s = min(
        one.get("link_latency_s", 0.0)
        + other.get("link_latency_s", 0.0)
        + cluster.get("backbone_latency_s", 0.0) * (one["switch"] != other["switch"])
        for one, other in itertools.combinations(hosts, 2)
    )
    if not latency_s:
        return (bandwidth,)
    source = "links of the virtual cluster"
    return (bandwidth, Bound(quantity="latency_s", value=latency_s, where="network", source=source))


def _links(run: Run) -> list[tuple[float, str]]:
    found = []
    for each in run.machine.get("network_interfaces") or ():
        if each.get("state") == "up" and each.get("speed_bit_per_s"):
            found.append((float(each["speed_bit_per_s"]), str(each.get("name"))))
    for each in run.machine.get("infiniband_devices") or ():
        rate = re.match(r"([\d.]+) Gb/sec", str(each.get("rate") or ""))
        if rate and "ACTIVE" in str(each.get("state")):
            found.append((float(rate[1]) * 1e9, str(each.get("device"))))
    return found


def active_links(run: Run) -> set[str]:
    """Return the link layers of the machine's active ports, such as `InfiniBand`."""
    return {
        str(each.get("link_layer"))
        for each in run.machine.get("infiniband_devices") or ()
        if "ACTIVE" in str(each.get("state"))
    }


def limit_of(evidence: Evidence, point: PointSummary, quantity: str) -> Bound | None:
    """Return the limit that holds for a figure: the lowest of those for where its data go."""
    where = "node" if point.nodes == 1 else "network"
    known = [b for b in evidence.bounds if b.quantity == quantity and b.where == where]
    if quantity == "latency_s":
        return max(known, key=lambda bound: bound.value, default=None)
    return min(known, key=lambda bound: bound.value, default=None)


def least_time(evidence: Evidence, point: PointSummary) -> Bound | None:
    """Return the least that one message takes, of a figure that times one until it is there.

    What an import times is taken to be that.
    """
    declared = evidence.describes(point.benchmark)
    known = evidence.delivery(point) if declared else evidence.sends(point.benchmark)
    return limit_of(evidence, point, "latency_s") if known and point.processes == 2 else None


def streams(point: PointSummary) -> int:
    """Return how many messages of its size are under way at once, each way at most once a node.

    Between two processes only: what many together move says nothing of one link.
    """
    if not point.bytes or not point.bandwidth_MBps:
        return 1
    moved = point.bandwidth_MBps * 1e6 * point.median_s
    return max(1, min(2, round(moved / point.bytes)))


def excess(evidence: Evidence, point: PointSummary) -> tuple[float, Bound] | None:
    """Return how many times a figure between two processes exceeds its limit, and which."""
    if point.processes != 2 or not evidence.sends(point.benchmark):
        return None
    found = []
    rate = limit_of(evidence, point, "bandwidth_MBps")
    if rate and point.bandwidth_MBps and (point.bytes or 0) > rate.burst_bytes:
        # The first bytes of a message pass a token bucket at once.
        shaped = 1 - rate.burst_bytes / (point.bytes or 1)
        found.append((shaped * _rate_share(point, rate), rate))
    latency = least_time(evidence, point)
    if latency and point.median_s > 0:
        found.append((latency.value / point.median_s, latency))
    worst = max(found, key=lambda one: one[0], default=None)
    return worst if worst and worst[0] > _ROUNDED else None


def sustained(evidence: Evidence, sweep: Sweep) -> list[int]:
    """Return the figures of a curve whose rate its link can keep up, in the order of their sizes.

    What is faster passed through a buffer, or is wrong.
    """
    found = []
    for index in sweep.points:
        point = evidence.points[index]
        known = point.processes == 2 and evidence.sends(point.benchmark)
        rate = limit_of(evidence, point, "bandwidth_MBps") if known else None
        if rate is None or _rate_share(point, rate) <= _ROUNDED:
            found.append(index)
    return found


def _rate_share(point: PointSummary, limit: Bound) -> float:
    return (point.bandwidth_MBps or 0.0) / streams(point) / limit.value
