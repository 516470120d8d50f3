"""Intel MPI Benchmarks: each table shape, held against numbers read off the files by eye."""

import re
from collections import Counter
from pathlib import Path

import pytest
from exports_examples import figure

from leadline.analysis.compare.matching import match
from leadline.core.errors import UserError
from leadline.exchange.imports.collect import import_files
from leadline.exchange.imports.printed import USUAL

DATA = Path(__file__).parent / "data"


def test_what_leadline_does_not_measure_is_described():
    benchmarks = import_files([DATA / "imb-mpi1.txt"]).benchmarks
    (described,) = [one for one in benchmarks if one.name == "imb/sendrecv"]
    assert "slowest rank" in described.series[0].definition


@pytest.mark.parametrize("name", ["imb-mpi1.txt", "imb-rma.txt", "imb-p2p.txt", "imb-uniband.txt"])
def test_the_rates_are_those_that_imb_printed(imported, name):
    """IMB's own bandwidths, counted by size and value, whichever table they stand in."""
    printed = Counter()
    column = None
    for line in (DATA / name).read_text().splitlines():
        words = line.split()
        if "#bytes" in words:
            column = words.index("Mbytes/sec") if "Mbytes/sec" in words else None
        elif column and len(words) > column and words[0].isdigit():
            printed[int(words[0])] += 1
            ours = [f for f in imported(name).figures if f.bytes == int(words[0])]
            rate = float(words[column])
            assert (
                any(
                    one.bandwidth_MBps == pytest.approx(rate, abs=0.006, rel=2e-3)
                    for one in ours
                    if one.bandwidth_MBps
                )
                or rate < 0.01
                or int(words[0]) == 0
                or tiny(ours)
            ), line
    assert printed


def tiny(figures):
    """Times of few digits do not give a rate back."""
    return any(one.median_s < 10e-6 for one in figures)


def test_it_says_which_version_ran_when(imported):
    found = imported("imb-mpi1.txt")
    assert (found.program, found.when) == ("IMB 2021.11", "2026-11-21T17:10:46")


def test_old_versions_shift_the_root(tmp_path, pick):
    text = (DATA / "imb-mpi1.txt").read_text()
    old = tmp_path / "old.txt"
    old.write_text(
        text.replace("Intel(R) MPI Benchmarks 2021.11", "Intel (R) MPI Benchmark Suite V3.2.3")
    )
    found = import_files([old]).imported
    assert found.program == "IMB 3.2.3"
    assert pick(found, "mpi/bcast", size=8, processes=4).axes["root"] == "shifting"


def test_a_row_that_imb_could_not_measure_is_named(tmp_path):
    text = (DATA / "imb-mpi1.txt").read_text()
    sound = len(import_files([DATA / "imb-mpi1.txt"]).imported.figures)
    row = next(line for line in text.splitlines() if re.match(r" +65536 .*1074.18", line))
    path = tmp_path / "out.txt"
    path.write_text(
        text.replace(row, '        65536 out-of-mem.; needed X=   9.123 GB; use flag "-mem X"')
    )
    run = import_files([path])
    assert len(run.imported.figures) == sound - 1
    (lost,) = [one for one in run.imported.remarks if one.kind == "lost"]
    assert lost.line == text.splitlines().index(row) + 1
    assert "out-of-mem" in lost.text
    assert run.outcome.state == "incomplete"


def test_times_that_contradict_each_other_are_no_figure(tmp_path):
    text = (DATA / "imb-groups.txt").read_text()
    path = tmp_path / "out.txt"
    path.write_text(
        text.replace("343.98       598.18       460.16", "343.98       598.18       660.16")
    )
    lost = [one for one in import_files([path]).imported.remarks if one.kind == "lost"]
    assert [one.text[:20] for one in lost] == ["this is no row of it"]


def test_a_file_without_a_sound_line_is_refused(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("# Benchmarking PingPong\n# #processes = 2\n")
    with pytest.raises(UserError, match="no figure of IMB"):
        import_files([path])


def test_it_compares_with_a_run_of_leadline(imported):
    """The figures of a run of mpi/pingpong and mpi/allreduce are matched by those of IMB."""
    measured = [
        figure(benchmark=benchmark, series=series, axes={"bytes": 1024} | axes, bytes=1024,
               settings=USUAL, processes=processes, processes_per_node=processes)
        for benchmark, series, processes, axes in (
            ("mpi/pingpong", "one-way", 2, {"mode": "blocking"}),
            ("mpi/pingpong", "one-way", 2, {"mode": "persistent"}),
            ("mpi/allreduce", "completion", 4, {"algorithm": "library", "buffers": "separate"}),
        )
    ]  # fmt: skip
    figures = imported("imb-mpi1.txt").figures
    pairs = match(measured, figures).pairs
    assert [(one, figures[two].median_s) for one, two in pairs] == [
        (0, pytest.approx(48.97e-6)),
        (2, pytest.approx(281.99e-6)),
    ]
