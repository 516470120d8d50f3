"""Runs as nights: launches in a slower state than is usual are left out, by their yardsticks."""

import math

import pytest
from launched import figure

from leadline.analysis.compare.confirming import Yardsticks, fresh_of, nights_of
from leadline.analysis.compare.history import Dated
from leadline.model.summary import LaunchReadings

FAST, SLOW = 1e-7, 3e-7


def measured(name, *launches):
    """A run of one figure: of each launch its median in seconds, and what its yardstick read."""
    readings = tuple(
        LaunchReadings(cores="c", round_trips_s=(read, read * (1 + number / 1000)))
        for number, (_, read) in enumerate(launches)
    )
    medians = tuple(median for median, _ in launches)
    return Dated(name, (figure(medians, readings=readings),))


def seconds(night):
    return [pytest.approx(math.exp(value)) for value in night.launches[0]]


def test_slow_launches_are_left_out_where_there_are_others():
    past = [measured(f"run-{n}", (1.0, FAST), (1.01, FAST), (2.5, SLOW)) for n in range(3)]
    new = measured("new", (2.0, SLOW), (1.02, FAST), (1.5, FAST))
    nights = nights_of(past, new)
    assert seconds(nights[0]) == [1.0, 1.01]
    # Slow in a usual state is slow.
    assert seconds(nights[-1]) == [1.02, 1.5]
    whole = measured("new", (2.0, SLOW), (2.1, SLOW))
    assert seconds(nights_of(past, whole)[-1]) == [2.0, 2.1]


def test_without_yardsticks_every_launch_counts():
    bare = Dated("run", (figure((1.0, 2.0, 3.0)),))
    assert seconds(nights_of([bare], bare)[0]) == [1.0, 2.0, 3.0]


def test_what_is_measured_again_is_known_by_the_states_of_the_nights():
    past = [measured(f"run-{n}", (1.0, FAST), (1.01, FAST), (2.5, SLOW)) for n in range(3)]
    new = measured("new", (1.3, FAST), (1.31, FAST))
    again = measured("again", (1.3, FAST), (3.0, SLOW))
    fresh = fresh_of(again.points, new, Yardsticks((*past, new)))
    assert list(fresh.slow[0]) == [False, True]
    assert fresh.launches[0] == pytest.approx([math.log(1.3), math.log(3.0)])
