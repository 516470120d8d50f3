"""Physical limits of the hardware, and which of them holds for a result."""

import re

from leadline.analysis.findings.evidence import Evidence
from leadline.model.imported import Bound
from leadline.model.run import Run
from leadline.model.summary import PointSummary

# Hosts of a virtual cluster have links of their own, of which the machine's devices say nothing.
_VIRTUAL = "lab"


def bounds_of(run: Run) -> tuple[Bound, ...]:
    """Return the limits that the run itself tells: those of an import, or of the machine's links.

    A machine's link counts where the run used several hosts, and is the fastest that is up.
    """
    if run.imported:
        return run.imported.bounds
    if not run.plan.hosts or run.plan.hosts[0].partition(":")[0] == _VIRTUAL:
        return ()
    fastest = max(_links(run), default=None)
    if fastest is None:
        return ()
    rate, name = fastest
    return (
        Bound(quantity="bandwidth_MBps", value=rate / 8e6, where="network", source=f"link {name}"),
    )


def _links(run: Run) -> list[tuple[float, str]]:
    """Return bit/s and name of each link of the machine that is up and tells its rate."""
    found = []
    for each in run.machine.get("network_interfaces") or ():
        if each.get("state") == "up" and each.get("speed_bit_per_s"):
            found.append((float(each["speed_bit_per_s"]), str(each.get("name"))))
    for each in run.machine.get("infiniband_devices") or ():
        rate = re.match(r"([\d.]+) Gb/sec", str(each.get("rate") or ""))
        if rate and "ACTIVE" in str(each.get("state")):
            found.append((float(rate[1]) * 1e9, str(each.get("device"))))
    return found


def limit_of(evidence: Evidence, point: PointSummary, quantity: str) -> Bound | None:
    """Return the limit that holds for a figure: the lowest of those for where its data go."""
    where = "node" if point.nodes == 1 else "network"
    known = [b for b in evidence.bounds if b.quantity == quantity and b.where == where]
    if quantity == "latency_s":
        return max(known, key=lambda bound: bound.value, default=None)
    return min(known, key=lambda bound: bound.value, default=None)


def streams(point: PointSummary) -> int:
    """Return how many messages of its size are under way at once, each way at most once a node.

    Between two processes only: what many together move says nothing of one link.
    """
    if not point.bytes or not point.bandwidth_MBps:
        return 1
    moved = point.bandwidth_MBps * 1e6 * point.median_s
    return max(1, min(2, round(moved / point.bytes)))
