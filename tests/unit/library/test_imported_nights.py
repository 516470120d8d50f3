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


def test_files_of_one_name_in_several_folders_are_nights_of_their_own(night, tmp_path):
    for number in (1, 2, 3):
        (tmp_path / f"n{number}").mkdir()
        night(f"n{number}/osu.txt", number)
    found = imported_nights([str(tmp_path / "n[1-3]" / "osu.txt")])
    assert order(found) == [1, 2, 3]
    assert len({each.name for each in found.nights}) == 3


def test_a_day_without_a_year_is_the_last_one(night, tmp_path):
    # The files are of 2 February 2026.
    for name, time in (("osu-1230.txt", 1), ("osu-1231.txt", 2), ("osu-0101.txt", 3)):
        night(name, time)
    assert order(imported_nights([str(tmp_path / "*")])) == [1, 2, 3]


def test_the_29_of_february_is_a_day_of_its_own_years(night, tmp_path):
    # The files are of 2 February 2026: neither 2026 nor 2025 has the day.
    night("osu-0229.txt", 1)
    night("osu-0131.txt", 2)
    found = imported_nights([str(tmp_path / "*")])
    assert sorted(order(found)) == [1, 2]
    assert [each.name for each in found.nights] == ["2026-01-31", "2026-02-02"]


@pytest.mark.parametrize("pattern", ["", ".", "/", "**x"])
def test_a_pattern_of_no_file_is_refused(pattern):
    with pytest.raises(UserError, match="no file is called"):
        imported_nights([pattern])


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
