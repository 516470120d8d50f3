"""Sides drawn from one set of launches: what so many of them tell, on made-up sets."""

import numpy as np
import pytest
from comparison.one_set import covered, lines, steady, told, whole
from launched import figure

from leadline.core.errors import UserError


def made(scatter, launches=24):
    random = np.random.default_rng(1)
    return tuple(
        figure(random.lognormal(0, scatter, launches), size=size) for size in (8, 64, 512, 4096)
    )


def test_quiet_launches_tell_all_and_wild_ones_nothing():
    quiet = list(told(made(0.01), 3, 12))
    assert [(each.way, each.launches) for each in quiet] == [("two runs", 3), ("one run", 3)]
    assert all(each.false_alarms == 0 and each.found == (12, 12, 12) for each in quiet)
    wild = list(told(made(1.0), 3, 12))
    assert all(each.found[1] <= 2 and each.false_alarms <= 2 for each in wild)
    assert "100.0%" in lines(quiet, 4, 24)[2]


def test_intervals_from_the_set_cover_it():
    found = covered(made(0.05), 3, 60)
    assert set(found) == {"median", "ratio of runs", "ratio within a run"}
    assert all(part > 0.88 for part in found.values())


def test_a_set_that_is_too_small_is_refused():
    with pytest.raises(UserError, match="a set of 26"):
        list(told(made(0.1), 13, 1))
    with pytest.raises(UserError, match="4 or more"):
        whole(made(0.1, launches=3))


def test_figures_that_a_launch_lacks_are_left_out():
    short = figure(np.ones(5), size=16)
    assert whole((*made(0.1), short)) == whole(made(0.1))


def test_launches_in_which_something_was_slow_can_be_left_out():
    kept = steady((*made(0.01), figure([1.0] * 20 + [3.0] * 4, size=16)))
    assert {len(each.launch_medians_s) for each in kept} == {20}
