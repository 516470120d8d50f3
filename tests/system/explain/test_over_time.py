"""What changes while a program runs: its slices and its regions, of a program that knows them."""

import re
from pathlib import Path

import numpy as np
import pytest
from programs import run

from leadline.explain.bounds import Bounds
from leadline.explain.job_file import read_job
from leadline.explain.reading import read_recording
from leadline.explain.report import explain

pytestmark = pytest.mark.mpi

HERE = Path(__file__).parent
STEPS, STEP_S, TIMES = 1500, 0.001, 2.0


def turns(observed, environment, rank, step):
    """Run the program in which a rank turns slow at a step; return when it did: of how long."""
    words = map(str, (rank, step, STEPS, STEP_S, TIMES))
    command = observed.command(observed.program(HERE / "turns.c"), *words)
    ended = run(*command, environment=environment)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return map(float, re.search(r"turned (\S+) of (\S+)", ended.stdout).groups())


@pytest.fixture(scope="module", params=[(1, 900), (0, 300)], ids=["rank 1", "rank 0"])
def turned(request, observed, tmp_path_factory):
    """Give the recording of the program, which rank turned slow, and when: of how many seconds."""
    files = tmp_path_factory.mktemp("turns")
    at, of = turns(observed, observed.environment(files), *request.param)
    return read_recording(files), request.param[0], at, of


@pytest.mark.timing
def test_the_rank_that_turns_slow_is_named_with_its_time(turned):
    recording, rank, at_s, whole_s = turned
    found = explain(recording, Bounds()).over_time
    assert found.seconds == pytest.approx(whole_s, rel=0.05, abs=0.05)
    assert found.change.ranks == (rank,)
    assert found.change.from_s == pytest.approx(at_s, abs=2.5 * whole_s / len(found.computing))
    assert found.change.until_s is None
    assert found.change.times == pytest.approx(TIMES, rel=0.15)
    then = recording.ranks[1 - rank].regions[1]
    assert then.waiting_s == pytest.approx(then.seconds * (1 - 1 / TIMES), rel=0.2)


def test_marks_grow_to_the_sums_of_the_rank(turned):
    recording = turned[0]
    for rank in recording.ranks:
        marks = rank.marks
        assert 16 <= len(marks.at_s) <= 64
        assert 0 < rank.seconds - marks.at_s[-1] <= 1.5 * (marks.at_s[1] - marks.at_s[0])
        assert (np.diff(marks.stolen_s, prepend=0.0) >= 0).all()
        assert marks.stolen_s[-1] <= rank.seconds + 0.02
        for by_and_by, in_all in ((marks.mpi_s, rank.mpi_s), (marks.waiting_s, rank.waiting_s)):
            assert (by_and_by[1:] >= by_and_by[:-1]).all()
            assert 0.5 * in_all < by_and_by[-1] <= in_all


@pytest.mark.timing
def test_the_file_of_a_job_has_the_slices_too(observed, tmp_path):
    at_s, whole_s = turns(
        observed, observed.environment("") | {"LEADLINE_JOBS": str(tmp_path)}, 1, 900
    )
    (file,) = tmp_path.rglob("*.job")
    found = explain(read_job(file).recording, Bounds()).over_time
    assert found.change.ranks == (1,)
    assert found.change.from_s == pytest.approx(at_s, abs=2.5 * whole_s / len(found.computing))


def test_what_the_program_marks_has_rows_of_its_own(turned):
    recording, rank, at_s, whole_s = turned
    first, then = explain(recording, Bounds()).regions
    assert (first.level, first.ranks, first.times) == (1, 2, 2)
    assert (then.level, then.ranks, then.times) == (7, 2, 2)
    assert first.seconds / 2 == pytest.approx(at_s, rel=0.05)
    assert then.seconds / 2 == pytest.approx(whole_s - at_s, rel=0.05)
    own = {each.rank: {one.level: one for one in each.regions} for each in recording.ranks}
    assert own[rank][1].calls + own[rank][7].calls == STEPS
    assert "main" in first.where
