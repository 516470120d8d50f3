"""nccl-tests. The file has its format and invented figures: there was no GPU to run it on."""

from pathlib import Path

import pytest

from leadline.exchange.imports.collect import import_files

DATA = Path(__file__).parent / "data"


def test_the_bus_bandwidth_is_that_of_a_ring(imported):
    for one in imported("nccl-invented.txt").figures:
        factor = 2 * (one.processes - 1) / one.processes
        bus = one.metrics["bus_bandwidth_MBps"]
        assert bus == pytest.approx(factor * one.bandwidth_MBps, abs=10, rel=0.01)


def test_its_devices_say_where_it_ran(imported):
    found = imported("nccl-invented.txt")
    assert {(one.processes, one.nodes) for one in found.figures} == {(4, 2)}
    assert found.remarks == ()


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
