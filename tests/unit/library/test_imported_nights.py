"""Nights in files of other programs: their order, and what cannot be read of them."""

import os

import pytest

from leadline.core.errors import UserError
from leadline.library.nights import imported_nights


@pytest.fixture
def night(tmp_path):
    """Write an output of OSU, which was copied with all others at one time or on a day."""

    def make(name, time, day=None):
        path = tmp_path / name
        path.write_text(f"# OSU MPI Latency Test v7.3\n# Size  Latency (us)\n8    {time:.2f}\n")
        at = 1_770_000_000 + (86_400 * day if day is not None else 0)
        os.utime(path, (at, at))
        return str(path)

    return make


def order(found):
    return [round(each.points[0].median_s * 1e6) for each in found.nights]


def test_dates_in_names_and_then_the_order_that_the_user_says(night, tmp_path):
    night("2026-02-01_n1.txt", 1)
    night("night-20260202.out", 2)
    last = [night("osu_fifth.log", 5), night("osu_fourth.txt", 4), night("run3.txt", 3)]
    (tmp_path / "cancelled.txt").write_text("slurmstepd: error: *** JOB 77 CANCELLED ***\n")
    found = imported_nights([str(tmp_path / "*")])
    assert order(found) == [1, 2, 5, 4, 3]
    left_out, undated = found.remarks
    assert "cancelled.txt" in left_out
    assert "osu_fifth.log, osu_fourth.txt and 1 more" in undated
    assert order(imported_nights([str(tmp_path / "*2*"), *reversed(last)])) == [1, 2, 3, 4, 5]


def test_numbers_are_in_their_order(night, tmp_path):
    for number in (10, 9, 1):
        night(f"osu-{number}.txt", number)
    assert order(imported_nights([str(tmp_path / "*")])) == [1, 9, 10]


def test_times_of_files_are_days_where_they_differ(night, tmp_path):
    for number in range(3):
        night(f"osu-{number}.txt", number + 1, day=3 - number)
    found = imported_nights([str(tmp_path / "*")])
    assert order(found) == [3, 2, 1]
    assert found.remarks == []


def test_where_nothing_can_be_read_the_reason_is_said(tmp_path):
    (tmp_path / "a.txt").write_text("cancelled\n")
    with pytest.raises(UserError, match=r"none of these 1 file can be read: .*a\.txt"):
        imported_nights([str(tmp_path / "*")])
