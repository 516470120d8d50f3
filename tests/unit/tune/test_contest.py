"""The race: what is dropped, what goes on, what wins."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.tune.contest import common_winner, is_best, survivors, winner


@pytest.mark.parametrize(
    ("times", "left", "wins"),
    [
        # A way that is worse for sure is out.
        ({"library": [1.0, 1.01, 0.99], "slow": [1.3, 1.31, 1.32], "fast": [0.5, 0.51, 0.5]}, (),
         ("fast",)),
        # What is undecided goes on, and the library with it.
        ({"library": [1.0, 1.1, 0.95], "a": [0.9, 1.2, 0.8], "hopeless": [9.0, 9.1, 9.2]},
         ("library", "a"), ("library",)),
        # Two that are equally fast need no more rounds.
        ({"library": [2.0] * 3, "a": [1.0, 1.001, 1.002], "b": [1.001, 1.002, 1.0]}, (),
         ("a", "b")),
        # The library wins where nothing beats it.
        ({"library": [1.0, 1.0, 1.01], "a": [1.5, 1.5, 1.51]}, (), ("library",)),
        # A way that left the race was measured less often: its launches are not the others'.
        ({"library": [1.0] * 5, "left": [0.1] * 3, "a": [0.5] * 5}, (), ("a",)),
        ({"library": [1.0, 1.0]}, (), ("library",)),
        ({}, (), ("library",)),
    ],
)  # fmt: skip
def test_who_goes_on_and_who_wins(times, left, wins):
    assert survivors(times, "library") == left
    assert winner(times, "library") in wins


def test_a_race_is_over_when_it_has_a_winner():
    """Held against the best of several, the library is slower for sure; held against the library,
    with all that scatter beside it, the best is not: so that the library would stay.
    """
    times = {
        "library": [0.659, 0.318, 0.296],
        "a": [0.211, 0.214, 0.200],
        "b": [2.898, 2.947, 2.292],
        "c": [2.000, 1.904, 1.056],
        "d": [2.628, 2.177, 2.594],
    }
    assert winner(times, "library") == "library"
    assert survivors(times, "library") == ("library", "a")
    further = {name: [*times[name], *([times[name][1]] * 2)] for name in ("library", "a")}
    assert winner({**times, **further}, "library") == "a"


def test_one_choice_for_all_sizes_is_faster_at_each():
    small = {"library": [2.0, 2.01, 1.99], "a": [0.5, 0.51, 0.5], "b": [1.0, 1.01, 1.0]}
    large = {"library": [8.0, 8.01, 7.99], "a": [9.0, 9.01, 9.02], "b": [7.5, 7.55, 7.53]}
    assert (winner(small, "library"), winner(large, "library")) == ("a", "b")
    assert common_winner([small, large], "library") == "b"
    assert common_winner([small], "library") == "a"
    assert common_winner([large], "library") == "b"
    assert common_winner([], "library") == "library"
    alike = {"library": [8.0, 8.01, 7.99], "b": [8.0, 8.02, 7.98]}
    assert common_winner([small, alike], "library") == "library"


def test_one_choice_for_all_sizes_was_measured_at_all_of_them():
    """One that left the race at a size had launches beside the library's, and counts by them."""
    small = {"library": [2.0] * 5, "a": [0.5, 0.51, 0.5, 0.5, 0.51], "b": [1.0] * 3}
    large = {"library": [8.0] * 3, "b": [4.0, 4.01, 4.02]}
    assert common_winner([small, large], "library") == "b"
    assert common_winner([small, {"library": [8.0] * 3}], "library") == "library"


def test_an_interrupted_round_leaves_candidates_with_a_launch_more_than_the_library():
    times = {"library": [1.0], "quick": [0.5, 0.51], "late": [0.6, 0.5]}
    assert survivors(times, "library") == ("library", "quick", "late")
    assert winner(times, "library") == "library"
    assert common_winner([times, {"library": []}], "library") == "library"


@pytest.mark.parametrize(
    ("times", "best"),
    [
        # All others are slower for sure, one of which left the race.
        ({"library": [1.0] * 5, "a": [1.5, 1.51, 1.5, 1.52, 1.5], "b": [9.0, 9.1, 9.2]}, True),
        # Another is as fast.
        ({"library": [1.0, 1.001, 1.002], "a": [1.001, 1.002, 1.0]}, True),
        # Nobody knows.
        ({"library": [1.0, 1.1, 0.95], "a": [0.9, 1.2, 0.8]}, False),
        ({"library": [1.0], "a": [1.4]}, False),
        ({"library": [], "a": [1.4, 1.5, 1.4]}, False),
        # Another is faster.
        ({"library": [1.0, 1.01, 0.99], "a": [0.5, 0.51, 0.5]}, False),
        # There is nothing else.
        ({"library": [1.0]}, True),
        ({}, False),
    ],
)  # fmt: skip
def test_the_library_is_the_best_where_that_is_known(times, best):
    assert is_best(times, "library") == best


FEW = st.lists(st.one_of(st.just(0.0), st.just(1e-6), st.floats(1e-7, 1e-2)), max_size=3)


@given(FEW, FEW, FEW)
def test_few_launches_decide_nothing_by_one_of_them(library, one, other):
    times = {"library": library, "one": one, "other": other}
    assert set(survivors(times, "library")) <= set(times)
    won = winner(times, "library")
    assert won == common_winner([times], "library") or won in times
    assert not (is_best(times, "library") and won != "library")
    if won != "library":
        assert len(library) > 1
