"""Intel MPI Benchmarks: each table shape, held against numbers read off the files by eye."""

import re
from collections import Counter
from pathlib import Path

import pytest

from leadline.analysis.compare.matching import match
from leadline.core.errors import UserError
from leadline.exchange.imports.collect import import_files
from leadline.model.summary import PointSummary

DATA = Path(__file__).parent / "data"


def test_one_time_and_a_rate(imported, pick):
    figure = pick(imported("imb-mpi1.txt"), "mpi/pingpong", "one-way", size=65536)
    assert figure.median_s == pytest.approx(53.22e-6, rel=1e-12)
    assert figure.bandwidth_MBps == pytest.approx(1231.50, rel=1e-4)
    assert (figure.processes, figure.nodes, figure.mpi) == (2, 1, "imb")
    assert (figure.statistic, figure.samples, figure.interval) == ("mean", 0, None)
    assert figure.mean_s == figure.median_s


def test_times_over_ranks_at_each_number_of_processes(imported, pick):
    found = imported("imb-mpi1.txt")
    on_two = pick(found, "mpi/allreduce", size=1024, processes=2)
    on_four = pick(found, "mpi/allreduce", size=1024, processes=4)
    assert on_two.median_s == pytest.approx(106.31e-6)
    assert on_four.median_s == pytest.approx(281.99e-6)
    assert on_four.metrics == pytest.approx(
        {"min_over_ranks_s": 146.07e-6, "mean_over_ranks_s": 185.84e-6}
    )


def test_a_barrier_has_no_size(imported, pick):
    found = imported("imb-mpi1.txt")
    assert pick(found, "mpi/barrier", processes=4).median_s == pytest.approx(113.03e-6)


def test_what_leadline_does_not_measure_keeps_its_name(imported, pick):
    found = imported("imb-mpi1.txt")
    figure = pick(found, "imb/sendrecv", size=65536, processes=4)
    assert figure.bandwidth_MBps == pytest.approx(1074.18, rel=1e-4)
    (described,) = [one for one in found_benchmarks() if one.name == "imb/sendrecv"]
    assert "slowest rank" in described.series[0].definition


def found_benchmarks():
    return import_files([DATA / "imb-mpi1.txt"]).benchmarks


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


def test_overlap(imported, pick):
    found = imported("imb-nbc.txt")
    together = pick(found, "mpi/ibcast", "together", size=65536, processes=2)
    assert together.median_s == pytest.approx(13.03e-6)
    assert together.metrics["overlap_fraction"] == pytest.approx(0.7270)
    alone = pick(found, "mpi/ibcast", "communication", size=65536, processes=2)
    assert alone.median_s == pytest.approx(21.74e-6)
    work = pick(found, "mpi/ibcast", "computation", size=65536, processes=2)
    assert work.median_s == pytest.approx(7.09e-6)


def test_one_sided_modes_stay_apart(imported, pick):
    found = imported("imb-rma.txt")
    put = pick(found, "rma/put", "origin", size=65536)
    assert put.axes == {"bytes": 65536, "synchronisation": "flush", "window": "create"}
    joined = pick(found, "imb/unidir_put", size=65536, mode="aggregate")
    assert joined.median_s == pytest.approx(100.25e-6)
    both_ways = pick(found, "imb/bidir_put", size=8, mode="non_aggregate")
    assert both_ways.median_s == pytest.approx(120.25e-6)
    apart = pick(found, "imb/truly_passive_put", "together", size=8)
    assert apart.median_s == pytest.approx(257.46e-6)


def test_pairs_of_processes_and_their_message_rate(imported, pick):
    found = imported("imb-p2p.txt")
    figure = pick(found, "imb/p2p_pingpong", size=1024)
    assert figure.median_s == pytest.approx(47.06e-6)
    assert figure.message_rate_per_s == 34412
    assert figure.bandwidth_MBps == pytest.approx(35.24, abs=0.005)
    assert pick(found, "imb/p2p_stencil2d", size=8).axes["grid"] == "2x2"


def test_groups_that_run_at_once(imported, pick):
    slowest = imported("imb-groups.txt")
    figure = pick(slowest, "imb/multi_pingpong", size=8, groups=2)
    assert (figure.processes, figure.axes["group"]) == (4, "slowest")
    assert figure.median_s == pytest.approx(58.82e-6)
    each = imported("imb-each-group.txt")
    assert pick(each, "imb/multi_pingpong", size=8, group=0).median_s == pytest.approx(58.41e-6)
    second = pick(each, "imb/multi_pingpong", size=8, group=1)
    assert second.median_s == pytest.approx(166.73e-6)
    assert second.settings["cache"] == "cold", "-off_cache is in its calling sequence"


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
        text.replace("100.39       131.93       110.94", "100.39       131.93       140.94")
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
        run_figure("mpi/pingpong", "one-way", {"bytes": 1024, "mode": "blocking"}, 2),
        run_figure("mpi/pingpong", "one-way", {"bytes": 1024, "mode": "persistent"}, 2),
        run_figure(
            "mpi/allreduce",
            "completion",
            {"bytes": 1024, "algorithm": "library", "buffers": "separate"},
            4,
        ),
    ]
    figures = imported("imb-mpi1.txt").figures
    pairs = match(measured, figures).pairs
    assert [(one, figures[two].median_s) for one, two in pairs] == [
        (0, pytest.approx(48.97e-6)),
        (2, pytest.approx(281.99e-6)),
    ]


def run_figure(benchmark, series, axes, processes):
    return PointSummary(
        benchmark=benchmark,
        series=series,
        axes=axes,
        settings={"start": "default", "cache": "warm"},
        bytes=axes["bytes"],
        processes=processes,
        nodes=1,
        processes_per_node=processes,
        mpi="mpich-5.0.2",
        launches=3,
        samples=300,
        excluded=0,
        median_s=1e-6,
        ci95_low_s=0.9e-6,
        ci95_high_s=1.1e-6,
        ci95_method="",
        p90_s=1e-6,
        p99_s=1e-6,
        max_s=1e-6,
        min_s=1e-6,
        mean_s=1e-6,
        bandwidth_MBps=1.0,
        verified=True,
        stopped_by="precision",
        oversubscribed=False,
        launch_medians_s=(1e-6,) * 3,
        within_launch_precision=0.01,
    )
