"""Findings on links and latencies stay silent where the numbers tempt, and what a link bounds."""

import dataclasses

import pytest
from silent_findings import KIB, bursting, declared, limited, smooth, told

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.limits import bounds_of
from leadline.analysis.findings.rules.limits_exceeded import impossible
from leadline.analysis.findings.rules.links import latency_limit, link_limit
from leadline.model.description import Delivery
from leadline.model.imported import Bound


def test_link_limit_stays_silent_of_what_takes_no_link(evidence, curve) -> None:
    whole = limited(evidence(curve(smooth)), 5000.0)
    assert told(link_limit, whole)
    assert not told(link_limit, declared(whole, messages=False))


def test_impossible_stays_silent_of_what_a_buffer_lets_pass(evidence, curve) -> None:
    whole = evidence(curve(bursting))
    assert told(impossible, limited(whole, 100.0))
    assert not told(impossible, limited(whole, 100.0, burst=16 * KIB))


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


def delayed(whole: Evidence, value: float, where: str = "node") -> Evidence:
    bound = Bound(quantity="latency_s", value=value, where=where)
    delivery = Delivery(sides="two-sided", series="time")
    return dataclasses.replace(declared(whole, delivery=delivery), bounds=(bound,))


def test_latency_limit_stays_silent_of_what_is_no_delivery(evidence, curve) -> None:
    whole = delayed(evidence(curve(smooth)), 0.8e-6)
    (found,) = latency_limit.find(whole)
    assert found.evidence["least_s"] == 0.8e-6
    assert found.evidence["software_s"] == pytest.approx(smooth(1) - 0.8e-6)
    # Calls that return before the message is there may take less.
    assert not told(latency_limit, declared(whole, delivery=None))
    assert not told(latency_limit, delayed(whole, 0.8e-6, where="network"))


def test_impossible_stays_silent_of_calls_that_return_early(evidence, curve) -> None:
    whole = delayed(evidence(curve(smooth)), 5e-6)
    assert told(impossible, whole)
    assert not told(latency_limit, whole)
    assert not told(impossible, declared(whole, delivery=None))
