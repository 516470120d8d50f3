"""The race: what is dropped, what goes on, what wins."""

from leadline.tune.contest import survivors, winner


def test_a_way_that_is_worse_for_sure_is_out():
    times = {"library": [1.0, 1.01, 0.99], "slow": [1.3, 1.31, 1.32], "fast": [0.5, 0.51, 0.5]}
    assert survivors(times, "library") == ()
    assert winner(times, "library") == "fast"


def test_what_is_undecided_goes_on_and_the_library_with_it():
    times = {"library": [1.0, 1.1, 0.95], "a": [0.9, 1.2, 0.8], "hopeless": [9.0, 9.1, 9.2]}
    assert survivors(times, "library") == ("library", "a")
    assert winner(times, "library") == "library"


def test_two_that_are_equally_fast_need_no_more_rounds():
    times = {"library": [2.0] * 3, "a": [1.0, 1.001, 1.002], "b": [1.001, 1.002, 1.0]}
    assert survivors(times, "library") == ()
    assert winner(times, "library") in ("a", "b")


def test_the_library_wins_where_nothing_beats_it():
    times = {"library": [1.0, 1.0, 1.01], "a": [1.5, 1.5, 1.51]}
    assert (survivors(times, "library"), winner(times, "library")) == ((), "library")


def test_a_way_that_left_the_race_does_not_come_back():
    """It was measured less often: its launches are not those of the others."""
    times = {"library": [1.0] * 5, "left": [0.1] * 3, "a": [0.5] * 5}
    assert winner(times, "library") == "a"
    assert survivors(times, "library") == ()


def test_a_way_that_nobody_measured_is_none():
    assert winner({"library": [1.0, 1.0]}, "library") == "library"
    assert winner({}, "library") == "library"
    assert survivors({}, "library") == ()
