"""What observing costs, and what it does where calls are short and frequent."""

import pytest

from leadline.explain.reading import read_recording

pytestmark = pytest.mark.mpi

CALLS = 100_000


def test_of_short_and_frequent_calls_some_stand_for_the_others(observed, files):
    ended = observed.run(files, "frequent.c")
    assert ended.returncode == 0, ended.stderr
    recording = read_recording(files)
    errors = []
    for rank in recording.ranks:
        (row,) = (row for row in rank.rows if row.function.name == "MPI_Allreduce")
        # All are counted and timed.
        assert row.calls == CALLS
        assert rank.calls >= CALLS
        assert 0 < row.seconds < rank.seconds
        # Of some it is known how long they waited, and how far off their sum may be.
        assert row.estimated
        assert row.error_s < row.seconds
        errors.append(row.error_s)
        assert row.waiting_s <= row.seconds
    # One of the two comes first.
    assert max(errors) > 0
    assert 1 < recording.cost.one_in <= 64
    # One that is observed takes longer than a look at the clock, and less than 5 us.
    all_calls = CALLS * len(recording.ranks)
    assert 1e-8 * all_calls < recording.cost.own_s < 5e-6 * all_calls


def test_a_few_calls_are_all_looked_at(observed, files):
    ended = observed.run(files, "waits.c", "allreduce")
    assert ended.returncode == 0, ended.stderr
    recording = read_recording(files)
    assert recording.cost.one_in == 1
    assert not any(row.estimated for row in recording.rows)
    assert recording.cost.own_s < 0.01 * sum(rank.seconds for rank in recording.ranks)
