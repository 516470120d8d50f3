"""What changes while a program runs: its slices and its regions, of a program that knows them."""

import re

import pytest

from leadline.explain.bounds import Bounds
from leadline.explain.reading import read_recording
from leadline.explain.report import explain

pytestmark = pytest.mark.mpi

STEPS, STEP_S, TIMES = 1500, 0.001, 2.0


@pytest.fixture(scope="module", params=[(1, 900), (0, 300)], ids=["rank 1", "rank 0"])
def turned(request, observed, tmp_path_factory):
    """Give the recording of a program, which rank turned slow, and when: of how many seconds."""
    rank, step = request.param
    files = tmp_path_factory.mktemp("turns")
    ended = observed.run(files, "turns.c", *map(str, (rank, step, STEPS, STEP_S, TIMES)))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    at, of = map(float, re.search(r"turned (\S+) of (\S+)", ended.stdout).groups())
    return read_recording(files), rank, at, of


@pytest.mark.timing
def test_the_rank_that_turns_slow_is_named_with_its_time(turned):
    recording, rank, at_s, whole_s = turned
    found = explain(recording, Bounds()).over_time
    assert found.seconds == pytest.approx(whole_s, rel=0.05, abs=0.05)
    assert found.change.ranks == (rank,)
    assert found.change.from_s == pytest.approx(at_s, abs=2.5 * whole_s / len(found.computing))
    assert found.change.until_s is None
    assert found.change.times == pytest.approx(TIMES, rel=0.15)


def test_marks_grow_to_the_sums_of_the_rank(turned):
    recording = turned[0]
    for rank in recording.ranks:
        marks = rank.marks
        assert 16 <= len(marks.at_s) <= 64
        assert 0 < rank.seconds - marks.at_s[-1] <= 1.5 * (marks.at_s[1] - marks.at_s[0])
        for by_and_by, in_all in (
            (marks.mpi_s, rank.mpi_s), (marks.waiting_s, rank.waiting_s), (marks.calls, rank.calls)
        ):  # fmt: skip
            assert (by_and_by[1:] >= by_and_by[:-1]).all()
            assert by_and_by[-1] <= in_all
        # The last slice holds some of the steps, and the program's end.
        assert marks.calls[-1] >= 0.8 * STEPS


def test_what_the_program_marks_has_rows_of_its_own(turned):
    recording, rank, at_s, whole_s = turned
    first, then = explain(recording, Bounds()).regions
    assert (first.level, first.ranks, first.times) == (1, 2, 2)
    assert (then.level, then.ranks, then.times) == (7, 2, 2)
    assert first.seconds / 2 == pytest.approx(at_s, rel=0.05)
    assert then.seconds / 2 == pytest.approx(whole_s - at_s, rel=0.05)
    own = {each.rank: {one.level: one for one in each.regions} for each in recording.ranks}
    assert own[rank][1].calls + own[rank][7].calls == STEPS
    waits = own[1 - rank][7]
    assert waits.waiting_s == pytest.approx((then.seconds / 2) * (1 - 1 / TIMES), rel=0.2)
    assert "main" in first.where
