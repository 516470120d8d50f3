"""What a recorded program's calls take by figures that are known."""

import msgspec
import pytest
from launched import figure

from leadline.analysis.results.published import replay
from leadline.model.published import Program, ProgramCalls


def calls(size, number, seconds=1.0):
    of = {"benchmark": "family/thing", "bytes": size, "processes": 2, "nodes": 1}
    return ProgramCalls(call="MPI_Thing", calls=number, seconds=seconds, of=of)


PROGRAM = Program(name="app", ranks=2, mpi="first", calls=(calls(8, 100), calls(64, 50, 3.0)))


def timed(launches, size=8, **changes):
    return figure(launches, size=size, **changes)


def test_calls_times_medians_are_the_seconds_of_an_average_rank():
    (found,) = replay(PROGRAM, [timed([1e-3] * 6), timed([4e-3] * 6, 64)])
    assert found.seconds == pytest.approx(0.05 + 0.1)
    assert found.recorded_s == pytest.approx(2.0)
    assert [(each.bytes, each.calls, each.point) for each in found.calls] == [
        (8, 100, 0),
        (64, 50, 1),
    ]
    assert [each.seconds for each in found.calls] == pytest.approx([0.05, 0.1])
    assert (found.program, found.mpi, found.recorded_mpi) == ("app", "first", "first")


def test_the_interval_is_that_of_the_launches_sums():
    # What is slow in one figure is fast in the other: the sums are alike.
    up = [1e-3 * (1 + each) for each in range(6)]
    down = [2 * each for each in reversed(up)]
    (found,) = replay(PROGRAM, [timed(up), timed(down, 64)])
    assert found.low_s == pytest.approx(found.high_s) == pytest.approx(found.seconds)
    (apart,) = replay(PROGRAM, [timed(up), timed([2 * each for each in up], 64)])
    assert apart.low_s < apart.seconds < apart.high_s


def test_one_launch_has_no_interval_nor_have_figures_of_different_launches():
    (one,) = replay(PROGRAM, [timed([1e-3]), timed([1e-3], 64)])
    assert one.seconds is not None and one.low_s is None
    (ragged,) = replay(PROGRAM, [timed([1e-3] * 6), timed([4e-3] * 5, 64)])
    assert ragged.seconds == pytest.approx(0.15) and ragged.low_s is None


def test_each_mpi_and_each_value_of_a_knob_has_its_own():
    def both(factor, **changes):
        return [timed([factor * 1e-3] * 6, **changes), timed([factor * 1e-3] * 6, 64, **changes)]

    figures = [*both(1), *both(2, mpi="second"), *both(3, knobs={"eager_limit": "64K"})]
    found = replay(PROGRAM, figures)
    assert [(each.mpi, each.knobs) for each in found] == [
        ("first", {}),
        ("second", {}),
        ("first", {"eager_limit": "64K"}),
    ]
    assert [each.seconds for each in found] == pytest.approx([0.075, 0.15, 0.225])


@pytest.mark.parametrize(
    "figures",
    [
        [timed([1e-3] * 6)],
        [timed([1e-3] * 6), timed([1e-3] * 6, 64, verified=False)],
        [timed([1e-3] * 6), timed([1e-3] * 6, 64, processes=4)],
        [timed([1e-3] * 6), timed([1e-3] * 6, 64), timed([2e-3] * 6, 64, series="other")],
    ],
)
def test_without_each_figure_there_is_no_total(figures):
    (found,) = replay(PROGRAM, figures)
    assert found.seconds is None and found.low_s is None
    assert [each.seconds is None for each in found.calls] == [False, True]


def test_a_plan_without_a_program_gives_nothing():
    assert replay(None, [timed([1e-3])]) == ()
    assert replay(msgspec.structs.replace(PROGRAM), []) == ()
