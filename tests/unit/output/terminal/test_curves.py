"""Curves as plots on a terminal."""

import io

import pytest
from example_run import example_analysis, example_run

from leadline.output.terminal.figures import print_curves
from leadline.output.terminal.text import console_for


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def drawn(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("NO_COLOR", raising=False)
    run = example_run()
    screen = Terminal()
    print_curves(console_for(screen), run, example_analysis(run))
    return screen.getvalue()


def test_each_curve_is_one_plot_of_all_mpis(drawn):
    # The barrier has no sizes, and so no curve.
    assert drawn.count("us by bytes") == 2
    assert "mpi/pingpong, us by bytes" in drawn and "mpi/barrier" not in drawn
    assert drawn.count("mpich") == drawn.count("openmpi") == 2


def test_curves_rise_to_the_right(drawn):
    plot = drawn[: drawn.index("mpi/allreduce")].splitlines()
    rows = [line for line in plot if line.startswith("│")]

    def first_dot(line):
        cells = [at for at, sign in enumerate(line) if "\u2800" < sign <= "\u28ff"]
        return min(cells, default=None)

    starts = [start for line in rows if (start := first_dot(line)) is not None]
    assert len(starts) >= 5
    assert starts == sorted(starts, reverse=True)


def test_a_pipe_gets_no_plot():
    run = example_run()
    stream = io.StringIO()
    print_curves(console_for(stream), run, example_analysis(run))
    assert stream.getvalue() == ""
