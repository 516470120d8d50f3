"""nccl-tests. The file has its format and invented figures: there was no GPU to run it on."""

from pathlib import Path

import pytest

from leadline.exchange.imports.collect import import_files

DATA = Path(__file__).parent / "data"


def test_out_of_place_and_in_place(imported, pick):
    found = imported("nccl-invented.txt")
    apart = pick(found, "nccl/all_reduce", size=262144, buffers="separate")
    assert apart.median_s == pytest.approx(49.80e-6)
    assert apart.bandwidth_MBps == pytest.approx(5.26e3, rel=1e-3)
    assert apart.metrics == {"bus_bandwidth_MBps": pytest.approx(7900.0)}
    within = pick(found, "nccl/all_reduce", size=262144, buffers="in_place")
    assert within.median_s == pytest.approx(48.93e-6)


def test_the_bus_bandwidth_is_that_of_a_ring(imported):
    for one in imported("nccl-invented.txt").figures:
        factor = 2 * (one.processes - 1) / one.processes
        bus = one.metrics["bus_bandwidth_MBps"]
        assert bus == pytest.approx(factor * one.bandwidth_MBps, abs=10, rel=0.01)


def test_its_devices_say_where_it_ran(imported):
    found = imported("nccl-invented.txt")
    assert {(one.processes, one.nodes) for one in found.figures} == {(4, 2)}
    assert found.remarks == ()


def test_wrong_elements_are_wrong_data(imported, pick):
    found = imported("nccl-invented.txt")
    assert pick(found, "nccl/all_reduce", size=8388608, buffers="separate").verified
    assert not pick(found, "nccl/all_reduce", size=8388608, buffers="in_place").verified


def test_unchecked_is_not_wrong(tmp_path):
    path = tmp_path / "out.txt"
    text = (DATA / "nccl-invented.txt").read_text()
    path.write_text(text.replace("       0    20.85", "     N/A    20.85"))
    found = import_files([path]).imported
    assert len(found.figures) == 10
    assert all(one.verified for one in found.figures if one.bytes == 8)


def test_old_versions_do_not_name_the_collective(tmp_path, pick):
    path = tmp_path / "old.txt"
    text = (DATA / "nccl-invented.txt").read_text()
    path.write_text(text[text.index("# nThread") :].replace(" Group  0", ""))
    found = import_files([path]).imported
    assert pick(found, "nccl/unnamed", size=256, buffers="in_place").median_s == 21.42e-6
    assert any("which collective" in one.text for one in found.remarks)
