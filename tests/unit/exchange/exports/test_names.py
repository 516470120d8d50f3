"""What a figure is called in other tools, and its numbers."""

import pytest
from exports_examples import HOSTILE, IMPORTED, MEASURED, a_run, figure, sized

from leadline.exchange.exports.figures import (
    Quantity,
    began,
    figure_names,
    launch_times,
    quantities,
)


def test_a_name_says_all_that_was_chosen():
    assert figure_names([MEASURED]) == [
        "mpi/pingpong/one-way/bytes=8/cache=warm/mode=blocking/mpich-5.0.2/1x2"
    ]


def test_a_knob_that_changes_nothing_is_no_part_of_a_name():
    without = figure(knobs={})
    set_ = figure(knobs={"eager_limit": "16K"})
    assert figure_names([MEASURED]) == figure_names([without])
    assert "/eager_limit=16K/" in figure_names([set_])[0]


def test_names_depend_on_their_figure_alone():
    alone = figure_names(sized(64))
    assert figure_names(sized(8, 64, 512))[1:2] == alone


def test_no_two_figures_have_one_name_and_none_has_blanks():
    names = figure_names([MEASURED, figure(benchmark=HOSTILE), MEASURED, MEASURED])
    assert len(set(names)) == 4
    assert not any(character.isspace() for name in names for character in name)


def test_the_first_number_is_what_the_figure_stands_for():
    assert next(iter(quantities(MEASURED).items())) == ("median", Quantity(2e-6, "s"))
    assert quantities(IMPORTED) == {
        "mean": Quantity(5e-6, "s"),
        "min": Quantity(4e-6, "s"),
    }
    fastest = figure(IMPORTED, statistic="minimum", median_s=3e-6)
    assert quantities(fastest)["min"] == Quantity(3e-6, "s")


def test_numbers_that_are_none_are_left_out():
    doubtful = figure(p99_s=float("nan"), bandwidth_MBps=float("inf"))
    assert not {"p99", "bandwidth"} & set(quantities(doubtful))


def test_metrics_have_the_unit_that_their_name_ends_in():
    found = quantities(MEASURED)
    assert found["flow"] == Quantity(2.0, "MiB")
    assert found["swapped_fraction"] == Quantity(0.25, "1")


def test_a_figure_without_launches_is_its_own_launch():
    assert launch_times(IMPORTED) == (5e-6,)
    assert launch_times(MEASURED) == (1e-6, 2e-6, 3e-6)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2026-11-21T07:30:12+00:00", 1795246212),
        ("2026-11-21T07:30:12", 1795246212),
        ("1997", None),
        ("", None),
    ],
)
def test_a_time_without_zone_is_utc_and_no_time_is_none(text, seconds):
    when = began(a_run(started=text))
    assert (when and when.timestamp()) == seconds
