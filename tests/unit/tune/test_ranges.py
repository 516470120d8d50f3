"""Between measured sizes a choice reaches as far as its gain does."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.model.profile import LIBRARY
from leadline.tune.ranges import Measured, Range, ranges, reaches


def times(library, **others):
    return {LIBRARY: [library], **{name: [time] for name, time in others.items()}}


@pytest.mark.parametrize(
    ("low", "high", "last", "first"),
    [
        # A narrow winner does not take half of the way to where it loses.
        ((4096, "shared", {"shared": 2.0, "doubling": 8.0}, 8.0),
         (32768, "doubling", {"shared": 11.0, "doubling": 10.0}, 16.0),
         (28_000, 32_767), (28_001, 32_768)),
        # Between two narrow winners the library stays.
        ((1024, "a", {"a": 0.9, "b": 2.0}, 1.0), (16384, "b", {"a": 2.0, "b": 0.9}, 1.0),
         (1024, 2047), (8193, 16384)),
        # A choice ends where the library, which is kept next, overtakes.
        ((1024, "a", {"a": 0.5}, 1.0), (16384, LIBRARY, {"a": 1.1}, 1.0), (8193, 16384),
         (8193, 16384)),
        # A winner that was dropped leaves half of the way.
        ((1024, LIBRARY, {"a": 0.9}, 1.0), (16384, "a", {"a": 0.5}, 1.0), (4096, 4096),
         (4097, 4097)),
    ],
)  # fmt: skip
def test_a_choice_reaches_as_far_as_its_gain(low, high, last, first):
    found = reaches(
        *(Measured(size, name, times(own, **rest)) for size, name, rest, own in (low, high))
    )
    assert last[0] <= found[0] <= last[1] and first[0] <= found[1] <= first[1]


def test_who_left_the_race_is_held_against_others_by_the_launches_it_took_part_in():
    slow_later = {LIBRARY: [1.0, 9.0, 9.0], "a": [0.5, 4.5, 4.5], "b": [2.0]}
    small = Measured(1024, "a", slow_later)
    large = Measured(16384, "b", times(1.0, a=2.0, b=0.5))
    last, first = reaches(small, large)
    assert 4095 <= last <= 4096 and first == last + 1


def test_ranges_meet_at_geometric_means_and_end_with_what_was_measured():
    found = ranges([8, 128, 2048, 32768], {8: "a", 128: "a", 32768: "b"})
    assert found == [Range("a", 0, 512, (8, 128)), Range("b", 8193, 32768, (32768,))]
    assert ranges([4096, 8192], {4096: "a"}) == [Range("a", 4096, 5792, (4096,))]


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
