"""Published results beside figures that are known."""

import msgspec
import pytest
from launched import figure

from leadline.analysis.results.published import hold, replay
from leadline.measure.plan.plans import read_plan, shipped_plans
from leadline.model.published import Claim, Program, ProgramCalls, Row


def timed(seconds, order, size=65536, **changes):
    point = figure([seconds], size=size, axes={"bytes": size, "algorithm": "ring"}, settings={})
    return msgspec.structs.replace(point, knobs={"order": order}, **changes)


def claim(quantity="saving", low=0.2, high=0.3, at=None, **changes):
    own = {
        "text": "t", "source": "s", "quantity": quantity,
        "of": {"order": "smp"}, "against": {"order": "round-robin"},
        "rows": (Row(at={"bytes": "64K"} if at is None else at, low=low, high=high),),
    }  # fmt: skip
    return Claim(**{**own, **changes})


FIGURES = (timed(4e-3, "round-robin"), timed(3e-3, "smp"), timed(9.0, "smp", size=8))


@pytest.mark.parametrize(
    ("quantity", "found", "deviation"), [("saving", 0.25, 0.0), ("slowdown", 0.75, 0.45)]
)
def test_two_figures_make_a_saving_and_a_slowdown(quantity, found, deviation):
    (held,) = hold([claim(quantity)], FIGURES)
    assert held.found == pytest.approx(found)
    assert held.deviation == pytest.approx(deviation)
    assert held.points == (1, 0)


def test_what_the_claim_is_held_against_stays_where_it_chooses_itself():
    along = claim("slowdown", of={}, against={"order": "round-robin"}, at={"order": "smp"})
    (held,) = hold([along], FIGURES[:2])
    assert held.found == pytest.approx(0.75)


def test_what_lies_below_is_negative():
    (held,) = hold([claim(low=0.4, high=0.5)], FIGURES)
    assert held.deviation == pytest.approx(-0.15)


@pytest.mark.parametrize(
    "at",
    [{"bytes": "32K"}, {"bytes": "64K", "algorithm": "tree"}, {"nothing": 1}, {"bytes": "what"}],
)
def test_no_figure_is_no_result(at):
    (held,) = hold([claim(at=at)], FIGURES)
    assert held.found is None and held.deviation is None


def test_two_figures_that_fit_are_no_result():
    (held,) = hold([claim()], [*FIGURES, timed(1.0, "smp")])
    assert held.found is None


def test_a_figure_with_wrong_data_is_no_result():
    (held,) = hold([claim()], [FIGURES[0], timed(3e-3, "smp", verified=False)])
    assert held.found is None


def test_a_figure_alone_has_a_time_and_a_bandwidth():
    alone = {"against": {}, "low": 1.0, "high": 1.0}
    figures = (timed(2.0, "smp", bandwidth_MBps=5.0),)
    assert hold([claim("seconds", **alone)], figures)[0].found == 2.0
    assert hold([claim("bandwidth_MBps", **alone)], figures)[0].found == 5.0
    assert hold([claim("maximum_over_average", **alone)], figures)[0].found is None


def test_the_shipped_plans_with_published_results_name_their_sources():
    plans = [read_plan(name) for name in shipped_plans() if name.startswith("published-")]
    assert plans
    for plan in plans:
        assert plan.platform and plan.claims
        assert all(each.source and each.text and each.rows for each in plan.claims)


def calls(size, number, seconds=1.0):
    of = {"benchmark": "family/thing", "bytes": size, "processes": 2, "nodes": 1}
    return ProgramCalls(call="MPI_Thing", calls=number, seconds=seconds, of=of)


PROGRAM = Program(name="app", ranks=2, mpi="first", calls=(calls(8, 100), calls(64, 50, 3.0)))


def timed_calls(launches, size=8, **changes):
    return figure(launches, size=size, **changes)


def test_calls_times_medians_are_the_seconds_of_an_average_rank():
    (found,) = replay(PROGRAM, [timed_calls([1e-3] * 6), timed_calls([4e-3] * 6, 64)])
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
    (found,) = replay(PROGRAM, [timed_calls(up), timed_calls(down, 64)])
    assert found.low_s == pytest.approx(found.high_s) == pytest.approx(found.seconds)
    (apart,) = replay(PROGRAM, [timed_calls(up), timed_calls([2 * each for each in up], 64)])
    assert apart.low_s < apart.seconds < apart.high_s


def test_one_launch_has_no_interval_nor_have_figures_of_different_launches():
    (one,) = replay(PROGRAM, [timed_calls([1e-3]), timed_calls([1e-3], 64)])
    assert one.seconds is not None and one.low_s is None
    (ragged,) = replay(PROGRAM, [timed_calls([1e-3] * 6), timed_calls([4e-3] * 5, 64)])
    assert ragged.seconds == pytest.approx(0.15) and ragged.low_s is None


def test_each_mpi_and_each_value_of_a_knob_has_its_own():
    def both(factor, **changes):
        return [
            timed_calls([factor * 1e-3] * 6, **changes),
            timed_calls([factor * 1e-3] * 6, 64, **changes),
        ]

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
        [timed_calls([1e-3] * 6)],
        [timed_calls([1e-3] * 6), timed_calls([1e-3] * 6, 64, verified=False)],
        [timed_calls([1e-3] * 6), timed_calls([1e-3] * 6, 64, processes=4)],
        [
            timed_calls([1e-3] * 6),
            timed_calls([1e-3] * 6, 64),
            timed_calls([2e-3] * 6, 64, series="other"),
        ],
    ],
)
def test_without_each_figure_there_is_no_total(figures):
    (found,) = replay(PROGRAM, figures)
    assert found.seconds is None and found.low_s is None
    assert [each.seconds is None for each in found.calls] == [False, True]


def test_a_plan_without_a_program_gives_nothing():
    assert replay(None, [timed_calls([1e-3])]) == ()
    assert replay(msgspec.structs.replace(PROGRAM), []) == ()
