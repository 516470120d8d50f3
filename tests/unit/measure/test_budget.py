"""A run with a budget: what was left out, and when that makes it no less complete."""

import msgspec
import run_parts
from example_run import example_run

from leadline.measure.run.run import within_budget
from leadline.model.run import Outcome, PointResult

SPENT = Outcome(
    state="timed out", message="the budget of 60 s is spent; every finished point is kept"
)


def run_of(launches, budget_s=60.0):
    """A run of which so many launches have measured every point, and one was cut at its first."""
    run = example_run()
    run.plan = msgspec.structs.replace(run.plan, budget_s=budget_s)
    every = tuple(PointResult(point=each.index) for each in run.points)
    run.launches = [
        *(run_parts.launch(number, points=every) for number in range(launches)),
        run_parts.launch(launches, points=every[:1], outcome=SPENT),
    ]
    return run


def test_a_run_is_complete_where_each_point_was_measured_and_says_what_was_left_out():
    assert within_budget(run_of(2), SPENT, 6) == Outcome(
        state="complete",
        message="2 of 6 launches fitted into the budget of 60 s: --budget 180 measures all",
    )
    # What was cut is a launch beyond the plan.
    assert within_budget(run_of(6), SPENT, 6) == Outcome(state="complete")


def test_points_without_a_figure_other_ends_and_a_time_limit_stay_what_they_are():
    assert within_budget(run_of(0), SPENT, 6) == SPENT
    assert within_budget(run_of(2, None), SPENT, 6) == SPENT
    limited = run_of(2)
    limited.plan = msgspec.structs.replace(limited.plan, time_limit_s=1.0)
    assert within_budget(limited, SPENT, 6) == SPENT
    failed = Outcome(state="incomplete", message="2 of 6 launches failed")
    assert within_budget(run_of(2), failed, 6) == failed
