"""A run against those before it."""

import numpy as np
import pytest
from launched import figure

from leadline.analysis.compare.history import Dated, watch


def run(number, launches, **changes) -> Dated:
    return Dated(f"run-{number}", (figure(launches, **changes),))


def steady(random, factor=1.0, count=8):
    return factor * random.lognormal(0, 0.01, count)


def newest(levels, **options):
    """Watch the last of runs at these levels against all before."""
    random = np.random.default_rng(4)
    every = [run(number, steady(random, level)) for number, level in enumerate(levels)]
    found = watch(every[:-1], every[-1], **options)
    return found.comparison.figures[0], found.turns


def test_the_first_slow_run_is_called_slower_and_is_where_it_turned():
    found, turns = newest([1.0, 1.0, 1.0, 1.0, 1.0, 1.2])
    assert found.verdict == "slower"
    assert [(turn.figure, turn.run) for turn in turns] == [("family/thing at 8 B", "")]
    assert turns[0].ratio == pytest.approx(1.2, rel=0.02)


def test_a_slow_down_that_lasts_is_said_with_the_run_that_began_it():
    found, turns = newest([1.0, 1.0, 1.01, 1.0, 1.0, 1.2, 1.21, 1.2])
    assert found.verdict == "slower"
    assert [turn.run for turn in turns] == ["run-5"]


def test_runs_that_differ_by_themselves_raise_no_alarm():
    found, turns = newest([1.0, 1.3, 0.9, 1.2, 1.0, 1.3, 1.35])
    assert (found.verdict, turns) == ("cannot tell", ())
    assert found.states_differ


def test_a_state_that_the_machine_had_before_raises_no_alarm():
    found, _ = newest([1.0, 2.5, 1.0, 1.0, 2.5, 1.0, 2.5])
    assert found.verdict == "cannot tell"


def test_the_same_is_the_same():
    found, turns = newest([1.0, 1.01, 0.99, 1.0, 1.0])
    assert (found.verdict, turns) == ("same", ())


def test_one_earlier_run_is_compared_with_by_its_launches():
    found, _ = newest([1.0, 1.2])
    assert found.verdict == "slower"


def test_figures_that_are_gone_are_named():
    random = np.random.default_rng(1)
    past = Dated("run-0", tuple(figure(steady(random), size=size) for size in (8, 64)))
    found = watch([past], run(1, steady(random))).comparison
    assert found.only_base == ("family/thing at 64 B",)
