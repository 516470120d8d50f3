"""Physical limits that a virtual cluster knows of its links."""

import pytest
from rule_cases import KIB

from leadline.analysis.findings.limits import bounds_of


def cluster(
    *rates: int | None,
    switches: tuple[int, ...] = (),
    backbone: int | None = None,
    latency_s: float = 0.0,
):
    hosts = [
        {"name": f"h{n}", "switch": (switches or (0,) * 9)[n], "link_bit_per_s": rate,
         "burst_bytes": 16 * KIB, "link_latency_s": latency_s}
        for n, rate in enumerate(rates)
    ]  # fmt: skip
    found = {"hosts": hosts, "backbone_bit_per_s": backbone, "backbone_latency_s": latency_s}
    return {"virtual_cluster": found}


@pytest.mark.parametrize(
    ("machine", "rate"),
    [
        (cluster(10**9, 10**9), 125.0),
        (cluster(10**9, 10**8), 12.5),
        # The fastest two of three.
        (cluster(10**9, 10**8, 10**9), 125.0),
        (cluster(10**9, 10**9, switches=(0, 1), backbone=10**8), 12.5),
        (cluster(10**9, None), None),
        (cluster(10**9), None),
        ({}, None),
    ],
)
def test_a_virtual_cluster_knows_the_rate_of_its_links(evidence, figure, machine, rate) -> None:
    bounds = bounds_of(evidence([figure()], machine=machine, plan={"hosts": ("lab",)}).run)
    assert [bound.value for bound in bounds] == ([rate] if rate else [])
    assert all((b.where, b.burst_bytes) == ("network", 16 * KIB) for b in bounds)


@pytest.mark.parametrize(
    ("hosts", "least_s"),
    [
        (("lab",), 100e-6),
        (("lab/red",), 100e-6),
        (("lab:h0", "h1"), 100e-6),
        # Over the link between the switches.
        (("lab:h0", "h2"), 150e-6),
    ],
)
def test_a_virtual_cluster_knows_the_latency_of_its_links(evidence, figure, hosts, least_s) -> None:
    machine = cluster(10**9, 10**9, 10**9, switches=(0, 0, 1), backbone=10**9, latency_s=50e-6)
    bounds = bounds_of(evidence([figure()], machine=machine, plan={"hosts": hosts}).run)
    assert [bound.quantity for bound in bounds] == ["bandwidth_MBps", "latency_s"]
    assert bounds[-1].value == pytest.approx(least_s)
