"""What is said of calls whose time scatters over their tasks."""

import dataclasses

import msgspec
import pytest

from leadline.analysis.findings.rules import jitter
from leadline.analysis.findings.rules.jitter import (
    jitter_cause,
    max_on_more_tasks,
    max_over_average,
)
from leadline.analysis.jitter.causes import CAUSES


@pytest.fixture
def told(evidence, figure):
    """Return what a rule finds of these jitters, one figure each."""

    def tell(find, *jitters, figures=None):
        known = figures or [figure(10e-6, 2**number) for number in range(3, 3 + len(jitters))]
        numbered = tuple(
            msgspec.structs.replace(one, point=index) for index, one in enumerate(jitters)
        )
        return list(find(dataclasses.replace(evidence(known), jitter=numbered)))

    return tell


def test_every_cause_has_its_words() -> None:
    assert set(jitter.CAUSES) == set(CAUSES)


def test_the_worst_of_a_benchmark_speaks_for_all(told, jitter) -> None:
    (found,) = told(jitter_cause.find, jitter(), jitter(excess_fraction=0.4), jitter())
    assert "cost 40 % of the time in family/thing, 16 B" in found.text
    assert "Worst of 3" in found.text and found.points == (0, 1, 2)


def test_the_slowest_task_is_told_with_its_interval(told, jitter) -> None:
    (found,) = told(max_over_average.find, jitter())
    assert (found.severity, found.advice) == ("notice", None)
    assert "1.7x (1.6 to 1.7) the time" in found.text and "20.0 us against 12.0 us" in found.text
    (mild,) = told(max_over_average.find, jitter(ci95_low=1.4))
    assert (mild.severity, mild.advice) == ("fact", None)


def test_placements_of_one_benchmark_are_told_together(told, figure, jitter) -> None:
    figures = [
        figure(10e-6, 8, processes=4, processes_per_node=4),
        figure(10e-6, 8),
        figure(10e-6, 16),
    ]
    four = jitter(tasks=4, maximum_over_average=2.5)
    (found,) = told(max_over_average.find, four, jitter(), jitter(), figures=figures)
    assert "By placement: 1.7x on 1x2, 2.5x on 1x4." in found.text


def test_more_tasks_are_predicted_with_what_it_rests_on(told, jitter) -> None:
    (found,) = told(max_on_more_tasks.find, jitter(tasks=8))
    assert found.text.startswith("The slowest of 8 tasks takes 20.0 us in family/thing, 8 B.")
    # Three doublings, though ten are predicted.
    assert "On 64 tasks expect 49.8 us (44.8 us to 57.2 us)" in found.text
    assert found.evidence["more_tasks"] == 64.0 and found.evidence["independent"] == 1.0
    (found,) = told(max_on_more_tasks.find, jitter(tasks=8, independent=False))
    assert found.evidence["independent"] == 0.0


def test_few_tasks_and_a_busy_machine_predict_nothing(evidence, figure, jitter) -> None:
    def predicted(tasks: int, busy: float) -> bool:
        whole = evidence([figure(10e-6)], load_during={"busy_fraction": busy})
        return bool(
            list(max_on_more_tasks.find(dataclasses.replace(whole, jitter=(jitter(tasks=tasks),))))
        )

    assert predicted(8, 0.05) and not predicted(4, 0.05) and not predicted(8, 0.3)


def test_what_was_measured_on_more_tasks_is_not_foretold(told, figure, jitter) -> None:
    several = [figure(10e-6, 8, processes=n, processes_per_node=n) for n in (8, 16)]
    assert not told(max_on_more_tasks.find, jitter(tasks=8), jitter(tasks=16), figures=several)
    crowded = [figure(10e-6, 8, oversubscribed=True)]
    assert not told(max_on_more_tasks.find, jitter(tasks=8), figures=crowded)


def test_what_sends_nothing_has_neither_network_nor_library(evidence, figure, jitter) -> None:
    whole = evidence([figure(10e-6)])
    (known,) = whole.run.benchmarks
    alone = [msgspec.structs.replace(known, messages=False)]
    whole = dataclasses.replace(
        whole,
        run=msgspec.structs.replace(whole.run, benchmarks=alone),
        jitter=(jitter(causes={"network": 0.97, "preempted": 0.03}),),
    )
    (found,) = jitter_cause.find(whole)
    assert "Cause: unknown (97 %)." in found.text
    assert "network" not in found.text and found.advice is None
