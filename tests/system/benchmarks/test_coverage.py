"""A 95 % interval holds the truth in 93 to 97 % of cases, whatever the data look like."""

import pytest
from click.testing import CliRunner
from comparison import coverage
from comparison.coverage_simulated import NAMES, cases

CASES = {case.name: case for case in cases()}
TRIALS = 1200


@pytest.mark.parametrize("name", ["normal", "lognormal", "two modes"])
@pytest.mark.parametrize(
    "case",
    [
        "median, one launch of 1000",
        "median, 3 launches",
        "median, 6 launches",
        "median, 10 launches",
        "ratio of runs, 10 launches",
        "p90, 10 launches",
    ],
)
def test_interval_covers_what_it_says(case: str, name: str) -> None:
    part, given = coverage.covered(CASES[case], name, TRIALS)
    assert 0.93 <= part <= 0.97
    assert given == 1


@pytest.mark.parametrize(
    ("case", "name", "trials"),
    [
        ("p99, 30 launches", "heavy tail", 500),
        ("median, 3 launches", "heavy tail", 500),
        ("ratio of runs, 5 launches", "two modes", 500),
        ("maximum over 64 tasks from 8", "heavy tail", 200),
    ],
)
def test_interval_of_what_is_skewed_covers_too(case: str, name: str, trials: int) -> None:
    part, _ = coverage.covered(CASES[case], name, trials)
    assert 0.92 <= part <= 0.98


def test_few_samples_that_are_alike_have_no_interval() -> None:
    _, given = coverage.covered(CASES["median, one launch of 50"], "alike", TRIALS)
    assert given < coverage.SELDOM


def test_samples_that_are_alike_are_not_taken_for_more_than_they_are() -> None:
    part, _ = coverage.covered(CASES["median, one launch of 1000"], "alike", 500)
    assert 0.93 <= part <= 0.98


def test_every_interval_that_is_printed_has_a_row() -> None:
    assert len(CASES) > 30
    assert len(NAMES) == 5


def test_program_prints_a_table() -> None:
    done = CliRunner().invoke(coverage.command, ["--trials", "3", "--only", "median, 6"])
    assert done.exit_code == 0
    assert "median, 6 launches" in done.output
    assert "Percent of 3 intervals" in done.output
