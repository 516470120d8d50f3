"""The proof of a tuning compares launches that met the same state of the machine."""

import msgspec
from launched import figure

from leadline.model.summary import LaunchReadings
from leadline.tune.candidates import Cell
from leadline.tune.session import like_times

CELL = Cell("bcast", 8)


def side(slow):
    """Return the figure of launches, those in a spell taking three times as long."""
    readings = tuple(
        LaunchReadings(cores="one", round_trips_s=(3e-7,) * 2 if each else (1e-7,) * 2)
        for each in slow
    )
    times = [(3.0 if each else 1.0) + 0.01 * number for number, each in enumerate(slow)]
    return msgspec.structs.replace(figure(times), readings=readings)


def test_launches_of_one_state_are_taken_from_both_sides():
    both = {False: [side([0, 0, 0, 1, 1])], True: [side([1, 0, 0, 0, 0])]}
    without_s, with_s = like_times({CELL: both})[CELL]
    assert (len(without_s), len(with_s)) == (3, 4) and max(without_s + with_s) < 2


def test_sides_without_a_common_state_give_nothing_to_judge():
    both = {False: [side([1] * 5)], True: [side([0] * 5)]}
    assert like_times({CELL: both})[CELL] == ((), ())


def test_a_side_that_another_run_measured_too_is_taken_whole():
    both = {False: [side([0] * 3), side([1] * 3)], True: [side([0] * 3)]}
    assert [len(each) for each in like_times({CELL: both})[CELL]] == [6, 3]
