"""What people see while a run goes."""

import io
import os
import pty
import threading

import msgspec
from example_run import example_points

from leadline.output.terminal.progress import (
    CountBar,
    LineProgress,
    TerminalProgress,
    describe,
    progress_for,
)

POINTS = example_points()


class Clock:
    """A clock that moves when it is told to."""

    def __init__(self):
        self.time_s = 0.0

    def __call__(self):
        return self.time_s


def measure(progress, clock, count, seconds_each):
    for point in POINTS[:count]:
        progress.measuring(1, point)
        clock.time_s += seconds_each
        progress.finished(1, point)


def test_point_in_words():
    assert describe(POINTS[4]) == "mpi/pingpong 64 B 1x2 mpich"
    assert describe(POINTS[13]) == "mpi/allreduce 4 B algorithm=library 1x2 mpich"


def test_lines_come_now_and_then():
    stream, clock = io.StringIO(), Clock()
    progress = LineProgress(stream, now=clock)
    progress.doing("building probes")
    progress.begin(40)
    measure(progress, clock, 10, seconds_each=4.0)
    progress.warn("openmpi failed to start")
    progress.end()
    assert stream.getvalue().splitlines() == [
        "leadline: building probes",
        "leadline: 4 of 40 points, about 144 s left: mpi/pingpong 16 B 1x2 mpich, launch 2",
        "leadline: 8 of 40 points, about 128 s left: mpi/pingpong 4 KiB 1x2 mpich, launch 2",
        "leadline: warning: openmpi failed to start",
    ]


def terminal(clock):
    stream = io.StringIO()
    return stream, TerminalProgress(stream, now=clock, force_terminal=True, width=90)


def test_bar_names_what_runs_and_how_far():
    clock = Clock()
    stream, progress = terminal(clock)
    progress.begin(40)
    measure(progress, clock, 10, seconds_each=1.0)
    shown = stream.getvalue()
    progress.end()
    assert "10/40" in shown
    assert "0:00:30" in shown or "00:30" in shown
    assert "mpi/pingpong 64 KiB 1x2 mpich, launch 2" in shown


def test_bar_is_drawn_four_times_a_second_at_most():
    clock = Clock()
    stream, progress = terminal(clock)
    progress.begin(1000)
    before = stream.getvalue().count("/1000")
    for _ in range(10):
        measure(progress, clock, 40, seconds_each=0.001)
    drawn = stream.getvalue().count("/1000") - before
    progress.end()
    assert clock.time_s > 0.39
    assert 1 <= drawn <= 1 + 4 * clock.time_s


def test_bar_needs_no_thread():
    before = threading.active_count()
    _, progress = terminal(Clock())
    progress.begin(3)
    assert threading.active_count() == before
    progress.end()


def test_warning_stays_above_the_bar():
    clock = Clock()
    stream, progress = terminal(clock)
    progress.begin(3)
    progress.warn("a launch [failed]")
    progress.end()
    assert "warning: a launch [failed]" in stream.getvalue()


def test_terminal_gets_a_bar_and_a_file_gets_lines(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    leader, follower = pty.openpty()
    with os.fdopen(follower, "w") as screen, os.fdopen(leader, "rb"):
        assert isinstance(progress_for(screen), TerminalProgress)
        monkeypatch.setenv("TERM", "dumb")
        assert isinstance(progress_for(screen), LineProgress)
    assert isinstance(progress_for(io.StringIO()), LineProgress)


def test_hostile_name_moves_no_cursor():
    point = msgspec.structs.replace(POINTS[0], mpi="mpich\x1b[2J")
    assert "\x1b" not in describe(point)


def test_a_tuning_tells_the_time_that_is_left_and_not_each_of_its_runs():
    stream, clock = io.StringIO(), Clock()
    progress = LineProgress(stream, 60, clock)
    progress.doing("3 of 7 sizes are undecided")
    for _ in range(5):
        progress.begin(2)
        measure(progress, clock, 2, seconds_each=4.0)
        progress.end()
    progress.close()
    lines = stream.getvalue().splitlines()
    assert lines[0] == "leadline: 3 of 7 sizes are undecided"
    assert [line.split(":")[1] for line in lines[1:]] == [" about 44 s left", " about 28 s left"]


def test_the_time_of_a_tuning_counts_from_its_first_run():
    stream, clock = io.StringIO(), Clock()
    progress = LineProgress(stream, 60, clock)
    clock.time_s += 500.0  # of building
    progress.begin(4)
    measure(progress, clock, 4, seconds_each=4.0)
    assert "about 44 s left" in stream.getvalue()


def test_a_tuning_that_takes_longer_tells_no_time_that_is_left():
    stream, clock = io.StringIO(), Clock()
    progress = LineProgress(stream, 20, clock)
    measure(progress, clock, 5, seconds_each=10.0)
    lines = stream.getvalue().splitlines()
    assert [line.split(":")[1] for line in lines] == [
        " the 20 s are over, what was begun goes on"
    ] * 2


def test_a_tuning_has_one_bar_for_all_of_its_runs():
    stream, clock = io.StringIO(), Clock()
    progress = TerminalProgress(stream, 60, clock, force_terminal=True, width=90)
    for _ in range(3):
        progress.begin(2)
        measure(progress, clock, 2, seconds_each=5.0)
        progress.end()
    assert "25/60" in stream.getvalue() and "/2" not in stream.getvalue()
    progress.close()


def test_a_count_shows_nothing_for_two_seconds_and_then_a_line_now_and_then():
    stream, clock = io.StringIO(), Clock()
    with CountBar(stream, "jobs", 100, now=clock) as bar:
        for done in range(1, 11):
            clock.time_s += 4.0
            bar.at(done)
    assert stream.getvalue().splitlines() == [
        "leadline: 4 of 100 jobs",
        "leadline: 8 of 100 jobs",
    ]


def test_a_count_is_a_bar_on_a_terminal(monkeypatch):
    monkeypatch.setattr("leadline.output.terminal.progress.can_redraw", lambda stream: True)
    stream, clock = io.StringIO(), Clock()
    with CountBar(stream, "jobs", 100, now=clock, force_terminal=True) as bar:
        clock.time_s = 1.0
        bar.at(10)
        assert stream.getvalue() == ""
        clock.time_s = 3.0
        bar.at(40)
    assert "40/100" in stream.getvalue()
