"""Between measured sizes a choice reaches as far as its gain does."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from leadline.model.profile import LIBRARY
from leadline.tune.ranges import Measured, ranges, reaches


def times(library, **others):
    return {LIBRARY: [library], **{name: [time] for name, time in others.items()}}


def test_a_narrow_winner_does_not_take_half_way_to_where_it_loses():
    small = Measured(4096, "shared", times(8.0, shared=2.0, doubling=8.0))
    large = Measured(32768, "doubling", times(16.0, shared=11.0, doubling=10.0))
    last, first = reaches(small, large)
    assert 28_000 < last < 32_768 and first == last + 1


def test_between_two_narrow_winners_the_library_stays():
    small = Measured(1024, "a", times(1.0, a=0.9, b=2.0))
    large = Measured(16384, "b", times(1.0, a=2.0, b=0.9))
    last, first = reaches(small, large)
    assert 1024 <= last < 2048 and 8192 < first <= 16384


def test_a_choice_ends_where_the_library_that_is_kept_next_overtakes():
    small = Measured(1024, "a", times(1.0, a=0.5))
    large = Measured(16384, LIBRARY, times(1.0, a=1.1))
    assert reaches(small, large)[0] > 8192


def test_a_winner_that_was_dropped_leaves_half_way():
    small = Measured(1024, LIBRARY, times(1.0, a=0.9))
    large = Measured(16384, "a", times(1.0, a=0.5))
    assert reaches(small, large) == (4096, 4097)


def test_who_left_the_race_is_held_against_others_by_the_launches_it_took_part_in():
    slow_later = {LIBRARY: [1.0, 9.0, 9.0], "a": [0.5, 4.5, 4.5], "b": [2.0]}
    small = Measured(1024, "a", slow_later)
    large = Measured(16384, "b", times(1.0, a=2.0, b=0.5))
    last, first = reaches(small, large)
    assert 4095 <= last <= 4096 and first == last + 1


TIMES = st.lists(st.floats(1e-7, 1.0), min_size=1, max_size=3)
RACES = st.fixed_dictionaries({LIBRARY: TIMES}, optional={"a": TIMES, "b": TIMES})
RACED = st.dictionaries(
    st.integers(0, 10**7), st.tuples(st.sampled_from(["a", "b", ""]), RACES), min_size=1
)


@given(RACED)
def test_whatever_was_raced_each_size_has_its_choice_and_ranges_are_apart(raced):
    choices = {size: choice for size, (choice, _) in raced.items() if choice}
    found = ranges(list(raced), choices, {size: race for size, (_, race) in raced.items()})
    for size in raced:
        covering = [each.choice for each in found if each.first <= size <= each.last]
        assert covering == ([choices[size]] if size in choices else [])
    for one, other in itertools.pairwise(found):
        assert one.last < other.first
