"""The states of the machine: found by yardsticks, and figures compared within one state."""

import msgspec
import numpy as np
import pytest
import run_parts
from example_run import example_run
from launched import figure

from leadline.analysis.compare.compare import compare
from leadline.analysis.results.states import (
    SEPARATION,
    States,
    levels,
    like_with_like,
    met_alike,
    pooled_readings,
    readings_by_point,
    slow_spell,
    usual_state,
)
from leadline.model.run import MachineReading, PointResult, RankPlace
from leadline.model.summary import LaunchReadings

FAST_S = 100e-9


def around(*slowness, cores="one") -> LaunchReadings:
    return LaunchReadings(cores=cores, round_trips_s=tuple(FAST_S * each for each in slowness))


def measured(launches, readings, **changes):
    return msgspec.structs.replace(figure(launches), readings=tuple(readings), **changes)


def test_levels_are_where_readings_are_far_apart():
    found = levels([(1.0, 1.02), (1.01, 0.99), (3.1, 3.0), (3.05, 3.1)])
    assert len(found.seconds) == 2 and found.seconds[0] == pytest.approx(1.005, rel=0.01)
    assert found.of(1.1) == 0 and found.of(2.9) == 1


def test_what_drifts_or_scatters_is_one_level():
    assert not levels([(1.0 + 0.05 * n, 1.02 + 0.05 * n) for n in range(40)]).cuts
    # Neighbouring readings already differ as much: nothing is known of states.
    assert not levels([(1.0, 1.4), (1.9, 1.3), (1.1, 2.0), (2.6, 1.5)]).cuts
    assert not levels([(1.0, 1.0), (1.0, SEPARATION * 0.99)]).cuts


def test_scatter_of_one_state_is_taken_for_two_in_less_than_one_run_in_a_hundred():
    random = np.random.default_rng(1)
    for seen in (0.02, 0.08, 0.2):
        wrong = sum(
            bool(levels(random.lognormal(0, seen, (10, 2)).tolist()).cuts) for _ in range(500)
        )
        assert wrong <= 5


def test_a_launch_has_a_state_where_it_was_the_same_before_and_after():
    rows = [around(1.0, 1.0), around(3.0, 3.1), around(1.0, 3.0), around(1.0, 1.01)]
    found = States(rows)
    assert found.are_several and [found.of(each) for each in rows] == [0, 1, None, 0]
    assert found.times(1) == pytest.approx(3.03, rel=0.01)
    assert found.of(LaunchReadings()) is None


def test_round_trips_of_other_cores_are_other_levels():
    rows = [around(1.0, 1.0), around(1.0, 1.0), around(3.0, 3.0, cores="far")]
    found = States(rows)
    assert not found.are_several and [found.of(each) for each in rows] == [0, 0, 0]


def test_a_figure_is_of_the_fastest_state_with_a_third_of_the_launches():
    assert usual_state([0, 0, 1, 1, 1, None]) == 0
    assert usual_state([0, 1, 1, 1, None]) == 1
    assert usual_state([None, None]) is None


def launch(number, *readings, points=2):
    return run_parts.launch(
        number,
        ranks=tuple(
            RankPlace(rank=rank, host="here", node=0, cpus=str(rank), cpu=rank, pid=1)
            for rank in (0, 1)
        ),
        points=tuple(PointResult(point=at, repetitions=1, verified=True) for at in range(points)),
        readings=tuple(
            MachineReading(points=at, round_trip_s=None if slow is None else FAST_S * slow)
            for at, slow in readings
        ),
    )


def test_a_point_lies_between_the_readings_next_to_it():
    one = launch(0, (0, 1.0), (2, 3.0), (4, 3.0), points=5)
    expected = [(1.0, 3.0), (1.0, 3.0), (3.0, 3.0), (3.0, 3.0), ()]
    found = readings_by_point(one)
    assert [found[at].round_trips_s for at in range(5)] == [
        around(*each).round_trips_s for each in expected
    ]
    # What could not be read is no reading.
    assert readings_by_point(launch(0, (0, 1.0), (1, None), (2, 1.0)))[0].round_trips_s
    assert not readings_by_point(launch(0, (0, 1.0)))[0].round_trips_s


def test_a_run_says_how_many_launches_met_a_spell():
    run = msgspec.structs.replace(example_run())
    run.launches = [launch(n, (0, 1.0), (2, 1.0)) for n in range(3)]
    assert slow_spell(run) is None
    run.launches.append(launch(3, (0, 1.0), (2, 3.0)))
    found = slow_spell(run)
    assert (found.launches, found.of) == (1, 4) and found.times == pytest.approx(3.0)


def test_readings_of_figures_are_pooled_where_any_has_some():
    rows = [measured([float(n)] * 4, [around(n, n)] * 4) for n in (1, 3)]
    assert len(pooled_readings(rows)) == 8
    assert pooled_readings([figure([1.0, 2.0])]) == ()


def test_launches_of_one_state_are_compared():
    base = measured([1.0, 1.01, 0.99, 1.0, 3.0, 3.1], [around(1, 1)] * 4 + [around(3, 3)] * 2)
    other = measured([1.0, 1.01, 1.0, 3.0, 3.0, 3.1], [around(1, 1)] * 3 + [around(3, 3)] * 3)
    (like,) = like_with_like([(base, other)], 3)
    assert (like.states.state, like.states.base_launches, like.states.other_launches) == (0, 4, 3)
    assert max(like.base.launch_medians_s + like.other.launch_medians_s) < 1.1
    (found,) = compare("before", [base], "after", [other]).figures
    assert found.verdict == "same" and found.base is base and found.states == like.states


def test_sides_without_a_common_state_cannot_be_told_apart():
    base = measured([1.0] * 8, [around(1, 1)] * 8)
    other = measured([3.0] * 8, [around(3, 3)] * 8)
    (found,) = compare("before", [base], "after", [other]).figures
    assert found.verdict == "cannot tell" and found.states.apart and not found.launches_needed


@pytest.mark.parametrize(
    ("times", "verdict"), [(0.3, "faster"), (1.4, "cannot tell"), (2.7, "slower")]
)
def test_beyond_what_the_machine_explains_sides_are_told_apart(times, verdict):
    """The machine itself was 1.3 times slower for the other side."""
    scatter = [1.0, 1.01, 0.99, 1.0, 1.02, 0.98, 1.0, 1.01]
    base = measured(scatter, [around(1, 1)] * 8)
    other = measured([times * each for each in scatter], [around(1.3, 1.3)] * 8)
    (found,) = compare("before", [base], "after", [other]).figures
    assert found.states.apart and found.states.span == pytest.approx(1.3)
    assert found.verdict == verdict


def test_without_yardsticks_all_launches_are_compared():
    base, other = figure([1.0] * 8), measured([3.0] * 8, [around(1, 1)] * 4 + [around(3, 3)] * 4)
    (found,) = compare("before", [base], "after", [other]).figures
    assert found.verdict == "slower" and found.states is None


def test_rivals_of_a_run_are_compared_where_both_met_the_same_state():
    one = measured([1.0, 1.1, 3.0], [around(1, 1), around(1, 1), around(3, 3)])
    other = measured([2.0, 2.1, 2.2], [around(1, 1), around(1, 1), around(1, 1)])
    assert met_alike(one, other) == ((1.0, 1.1), (2.0, 2.1))
    assert met_alike(one, one) == (one.launch_medians_s,) * 2
