"""NetPIPE: data files and what is printed, of version 3 and 5."""

from pathlib import Path

import pytest

from leadline.exchange.imports.collect import import_files

DATA = Path(__file__).parent / "data"


def test_a_data_file_of_version_3(imported, pick):
    found = imported("netpipe-3.out")
    figure = pick(found, "netpipe/pingpong", "one-way", size=512)
    assert (figure.median_s, figure.statistic, figure.processes) == (7.51e-6, "minimum", 2)
    assert figure.bandwidth_MBps == pytest.approx(520.126984 * 2**20 / 8e6, rel=1e-3)
    assert any("both ways" in one.text for one in found.remarks)


def test_what_version_3_prints_is_what_it_writes(imported):
    written = {one.bytes: one.median_s for one in imported("netpipe-3.out").figures}
    printed = {one.bytes: one.median_s for one in imported("netpipe-3-console.txt").figures}
    assert printed == pytest.approx(written)
    assert len(printed) == 40


@pytest.mark.parametrize("file", ["netpipe-3-both-ways.txt", "netpipe-5-both-ways.txt"])
def test_both_ways(imported, file):
    figures = imported(file).figures
    assert {one.benchmark for one in figures} == {"netpipe/both_ways"}
    assert all(
        one.bandwidth_MBps == pytest.approx(2 * one.bytes / one.median_s / 1e6) for one in figures
    )


def test_version_5_in_colour(imported, pick):
    figure = pick(imported("netpipe-5-console.txt"), "netpipe/pingpong", size=96)
    assert (figure.median_s, figure.statistic) == (pytest.approx(4.001e-3), "mean")
    data = pick(imported("netpipe-5.out"), "netpipe/pingpong", size=96)
    assert data.median_s == pytest.approx(4.00127e-3)


def test_a_rate_that_contradicts_its_time_is_no_figure(tmp_path):
    text = (DATA / "netpipe-3.out").read_text()
    path = tmp_path / "np.out"
    path.write_text(text.replace("     512 520.126984", "     512 920.126984"))
    found = import_files([path]).imported
    assert 512 not in {one.bytes for one in found.figures}
    (lost,) = [one for one in found.remarks if one.kind == "lost"]
    assert lost.line == text[: text.index("     512 ")].count("\n") + 1
