"""A figure over time, from values."""

import msgspec
import numpy as np
import pytest

from leadline.core.units import format_seconds
from leadline.output.server.catalogue import Listed, name_of
from leadline.output.server.trend import Seen, trend

from served import imported_run  # isort: skip

FIGURE = imported_run().imported.figures[0]
NAME = name_of(FIGURE)


def seen(day, *mpis, seconds=1e-6, **facts):
    figures = tuple(
        msgspec.structs.replace(FIGURE, mpi=f"{family}-{version}", median_s=seconds)
        for family, version in mpis
    )
    run = Listed(
        run=f"run-{day}",
        folder="",
        started=f"2026-01-{day:02d}T00:00:00+00:00",
        state="complete",
        message="",
        size_bytes=0,
        versions={f"{family}-{version}": f"{family} {version}" for family, version in mpis},
        **{"host": "node17", "kernel": "6.1"} | facts,
    )
    return Seen(run, figures)


def said(changes):
    return [(change.run, change.what, change.before, change.after) for change in changes]


def test_runs_are_in_the_order_of_time_whatever_theirs():
    found = trend(NAME, [seen(day, ("mpich", "4")) for day in (3, 1, 2)])
    assert [point.run for point in found.points] == ["run-1", "run-2", "run-3"]
    assert not found.changes


def test_an_mpi_is_one_curve_through_its_versions():
    found = trend(NAME, [seen(1, ("mpich", "4")), seen(2, ("mpich", "5"), ("openmpi", "5"))])
    assert [point.curve for point in found.points] == ["mpich", "mpich", "openmpi"]
    assert said(found.changes) == [("run-2", "MPI", "mpich 4", "mpich 5")]


def test_two_of_a_family_in_one_run_are_two_curves():
    found = trend(NAME, [seen(1, ("mpich", "4"), ("mpich", "5")), seen(2, ("mpich", "5"))])
    assert [point.curve for point in found.points] == ["mpich-4", "mpich-5", "mpich-5"]
    assert not found.changes


@pytest.mark.parametrize(("fact", "what"), [("host", "machine"), ("kernel", "kernel")])
def test_another_machine_or_kernel_is_a_change(fact, what):
    days = [("a", 1), ("a", 2), ("b", 3), ("a", 4), ("", 5), ("c", 6)]
    found = trend(NAME, [seen(day, ("mpich", "4"), **{fact: value}) for value, day in days])
    # Where it is not known nothing is said.
    assert said(found.changes) == [("run-3", what, "a", "b"), ("run-4", what, "b", "a")]


def test_a_step_of_the_figure_is_found_with_both_levels():
    random = np.random.default_rng(1)
    seconds = np.where(np.arange(20) < 12, 1e-6, 1.5e-6) * random.lognormal(0, 0.02, 20)
    runs = [seen(day + 1, ("mpich", "4"), seconds=s) for day, s in enumerate(seconds)]
    found = trend(NAME, runs)
    before, after = np.median(seconds[:12]), np.median(seconds[12:])
    assert said(found.changes) == [
        ("run-13", "time", format_seconds(before), format_seconds(after))
    ]


def test_figures_that_only_scatter_have_no_step():
    random = np.random.default_rng(2)
    alarms = 0
    for _ in range(200):
        seconds = 1e-6 * random.lognormal(0, 0.1, 25)
        runs = [seen(day + 1, ("mpich", "4"), seconds=s) for day, s in enumerate(seconds)]
        alarms += bool(trend(NAME, runs).changes)
    assert alarms <= 8


def test_times_that_are_none_are_no_step_and_no_end():
    runs = [seen(day, ("mpich", "4"), seconds=0.0) for day in range(1, 20)]
    assert not trend(NAME, runs).changes
