"""ReproMPI: raw tables against statistics of their numbers, and its own summaries."""

import statistics
from pathlib import Path

import pytest

from leadline.exchange.imports.collect import import_files

DATA = Path(__file__).parent / "data"


def column(name, call, size):
    rows = [line.split() for line in (DATA / name).read_text().splitlines() if line[0] != "#"]
    return [float(row[-1]) for row in rows if row[0] == call and row[2] == str(size)]


@pytest.mark.parametrize(("call", "size"), [("bcast", 8), ("bcast", 1024), ("allreduce", 8)])
def test_each_repetition_counts(imported, pick, call, size):
    times = column("reprompi-raw.txt", f"MPI_{call.capitalize()}", size)
    assert len(times) == 12
    figure = pick(imported("reprompi-raw.txt"), f"mpi/{call}", "completion", size=size)
    assert figure.median_s == pytest.approx(statistics.median(times))
    assert figure.mean_s == pytest.approx(statistics.fmean(times))
    assert (figure.min_s, figure.max_s) == (min(times), max(times))
    assert (figure.samples, figure.statistic) == (0, "median")
    # Of 12 values the 4th and 9th hold the median with 85 %, the 2nd and 11th with 99.4 %.
    ordered = sorted(times)
    low, high = figure.interval
    assert ordered[1] <= low <= ordered[3]
    assert ordered[8] <= high <= ordered[10]


def test_barriers_at_two_counts_stay_apart(imported, pick):
    found = imported("reprompi-raw.txt")
    small = pick(found, "mpi/barrier", count=8)
    large = pick(found, "mpi/barrier", count=1024)
    assert small.launches == large.launches == 1
    assert small.median_s != large.median_s


def test_repetitions_that_missed_their_window_do_not_count(tmp_path, pick):
    text = (DATA / "reprompi-window.txt").read_text()
    path = tmp_path / "out.txt"
    path.write_text(text.replace("0   0.0119864310", "1   0.0119864310"))
    figure = pick(import_files([path]).imported, "mpi/bcast", size=8)
    times = [one for one in column("reprompi-window.txt", "MPI_Bcast", 8) if one != 0.0119864310]
    assert figure.metrics["repetitions"] == len(times) == 7
    assert figure.median_s == pytest.approx(statistics.median(times))
