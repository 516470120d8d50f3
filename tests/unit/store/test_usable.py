"""Points of a run that figures can be made of, told from its table of samples."""

import numpy as np
import pytest

from leadline.store.parquet import connected, points_with_samples, quoted

FLAGS = ("preempted", "late_start", "failed_verification")
LATE, WRONG = 2, 4


@pytest.fixture
def write(tmp_path):
    def write(rows):
        names = ("point", "launch", "repetition", "rank", "flags", "seconds")
        table = {name: np.array([row[at] for row in rows]) for at, name in enumerate(names)}
        path = tmp_path / "samples.parquet"
        with connected() as connection:
            connection.register("made", table)
            connection.execute(f"COPY (SELECT * FROM made) TO {quoted(path)} (FORMAT parquet)")
        return path

    return write


def test_a_repetition_counts_when_no_rank_set_it_aside(write):
    path = write(
        [
            # Point, launch, repetition, rank, flags, seconds.
            (0, 0, 0, 0, 1, 1e-6),
            (0, 0, 0, 1, 0, 1e-6),
            (1, 0, 0, 0, LATE, 1e-6),  # late on one rank, right on the other
            (1, 0, 0, 1, 0, 1e-6),
            (2, 0, 0, 0, LATE, 1e-6),
            (2, 1, 0, 0, 0, 1e-6),  # another launch has one
            (3, 0, 0, 0, 0, float("nan")),
            (4, 0, 0, 0, WRONG, 1e-6),
            (4, 0, 1, 0, 0, 1e-6),
        ]
    )
    assert points_with_samples(path, FLAGS) == {0, 2, 4}


def test_flags_that_a_run_does_not_know_exclude_nothing(write):
    path = write([(0, 0, 0, 0, LATE, 1e-6), (7, 0, 0, 0, 0, 1e-6)])
    assert points_with_samples(path, ("preempted",)) == {0, 7}
