"""HPC Challenge: the b_eff section, against the summary that HPCC writes of it itself."""

from pathlib import Path

import pytest

from leadline.core.errors import UserError
from leadline.exchange.imports.collect import import_files

DATA = Path(__file__).parent / "data"


@pytest.fixture
def summary():
    lines = (DATA / "hpccoutf.txt").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line.count("=") == 1 and line[0] != "=")


def test_latencies_are_those_of_the_summary(imported, pick, summary):
    found = imported("hpccoutf.txt")
    latency = pick(found, "hpcc/pingpong", size=8)
    assert latency.median_s == pytest.approx(float(summary["AvgPingPongLatency_usec"]) / 1e6, 1e-3)
    assert latency.metrics["max_over_pairs_s"] == pytest.approx(
        float(summary["MaxPingPongLatency_usec"]) / 1e6, 1e-3
    )
    assert latency.processes == int(summary["CommWorldProcs"])
    for order, name in (("natural", "NaturallyOrdered"), ("random", "RandomlyOrdered")):
        ring = pick(found, "hpcc/ring", size=8, order=order)
        printed = float(summary[f"{name}RingLatency_usec"]) / 1e6
        assert ring.median_s == pytest.approx(printed, 1e-3)


def test_bandwidths_are_those_of_the_summary(imported, pick, summary):
    found = imported("hpccoutf.txt")
    rate = float(summary["AvgPingPongBandwidth_GBytes"]) * 1e3
    assert pick(found, "hpcc/pingpong", size=2000000).bandwidth_MBps == pytest.approx(rate, 1e-4)
    for order, name in (("natural", "NaturallyOrdered"), ("random", "RandomlyOrdered")):
        rate = float(summary[f"{name}RingBandwidth_GBytes"]) * 1e3
        ring = pick(found, "hpcc/ring", size=2000000, order=order)
        assert ring.bandwidth_MBps == pytest.approx(rate, 1e-4)


def test_it_says_which_version_ran(imported):
    assert imported("hpccoutf.txt").program == "HPCC 1.5.0"


def test_a_run_without_the_section_has_nothing(tmp_path):
    path = tmp_path / "hpccoutf.txt"
    path.write_text("This is the DARPA/DOE HPC Challenge Benchmark version 1.5.0 October 2012\n")
    with pytest.raises(UserError, match="b_eff"):
        import_files([path])
