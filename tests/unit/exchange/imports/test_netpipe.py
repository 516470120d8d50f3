"""NetPIPE: data files and what is printed, of version 3 and 5."""

from pathlib import Path

import pytest

from leadline.exchange.imports.collect import import_files

DATA = Path(__file__).parent / "data"


def test_what_version_3_prints_is_what_it_writes(imported):
    written = {one.bytes: one.median_s for one in imported("netpipe-3.out").figures}
    printed = {one.bytes: one.median_s for one in imported("netpipe-3-console.txt").figures}
    assert printed == pytest.approx(written)
    assert len(printed) == 15
    assert any("both ways" in one.text for one in imported("netpipe-3.out").remarks)


@pytest.mark.parametrize("file", ["netpipe-3-both-ways.txt", "netpipe-5-both-ways.txt"])
def test_both_ways(imported, file):
    figures = imported(file).figures
    assert {one.benchmark for one in figures} == {"netpipe/both_ways"}
    assert all(
        one.bandwidth_MBps == pytest.approx(2 * one.bytes / one.median_s / 1e6) for one in figures
    )


def test_a_rate_that_contradicts_its_time_is_no_figure(tmp_path):
    text = (DATA / "netpipe-3.out").read_text()
    path = tmp_path / "np.out"
    path.write_text(text.replace("     512 520.126984", "     512 920.126984"))
    found = import_files([path]).imported
    assert 512 not in {one.bytes for one in found.figures}
    (lost,) = [one for one in found.remarks if one.kind == "lost"]
    assert lost.line == text[: text.index("     512 ")].count("\n") + 1
