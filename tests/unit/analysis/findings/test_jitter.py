"""What is said of calls whose time scatters over their tasks."""

import dataclasses

import msgspec
import pytest

from leadline.analysis.findings.jitter_words import CAUSE, HELD_UP
from leadline.analysis.findings.rules import jitter_cause, max_on_more_tasks, max_over_average
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


def test_every_cause_has_its_words_and_its_advice() -> None:
    assert set(CAUSE) == set(HELD_UP) == set(jitter_cause._ADVICE) == set(CAUSES)


def test_the_cause_its_rank_and_who_waited_are_named(told, jitter) -> None:
    (found,) = told(jitter_cause.find, jitter())
    assert found.severity == "notice"
    assert "20 % of the time in calls of family/thing" in found.text
    assert "another process that took the core (90 %, 98 % of it on rank 1)" in found.text
    assert "the network or the library (8 %)" in found.text
    assert "moves to another core" not in found.text  # 2 % is too little to tell
    assert "rank 0 waited for rank 1, which had lost its core to another process" in found.text
    assert "leave a core free" in found.advice.lower()
    assert found.evidence["preempted_fraction"] == 0.9
    assert found.evidence["migrated_fraction"] == 0.02
    assert (found.evidence["worst_rank"], found.evidence["worst_rank_fraction"]) == (1.0, 0.95)


def test_the_worst_of_a_benchmark_speaks_for_all(told, jitter) -> None:
    (found,) = told(jitter_cause.find, jitter(), jitter(excess_fraction=0.4), jitter())
    assert found.text.startswith("40 %") and "at 16 B" in found.text
    assert "worst of 3" in found.text and found.points == (0, 1, 2)


def test_jitter_cause_stays_silent_of_a_small_tail(told, jitter) -> None:
    assert told(jitter_cause.find, jitter(excess_fraction=0.04)) == []


def test_the_slowest_task_is_told_with_its_interval(told, jitter) -> None:
    (found,) = told(max_over_average.find, jitter())
    assert found.severity == "notice" and "jitter_cause" in found.advice
    assert "1.67 times (1.60 to 1.70)" in found.text and "20.0 us against 12.0 us" in found.text
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
    assert "By placement: 1.67 on 1x2, 2.50 on 1x4." in found.text


def test_more_tasks_are_predicted_with_what_it_rests_on(told, jitter) -> None:
    (found,) = told(max_on_more_tasks.find, jitter())
    assert "20.0 us on 2 tasks. On 32 it would take 41.5 us (37.3 us to 47.7 us)" in found.text
    assert "on 2048" in found.text and "taken as independent" in found.text
    assert found.evidence["more_tasks"] == 2048.0
    dependent = jitter(independent=False, independent_maximum_s=40e-6)
    (found,) = told(max_on_more_tasks.find, dependent)
    assert "not independent" in found.text and "0.500 times" in found.text


def test_what_does_not_grow_or_was_not_predicted_is_no_news(told, jitter) -> None:
    flat = tuple(msgspec.structs.replace(one, maximum_s=20.5e-6) for one in jitter().predictions)
    assert told(max_on_more_tasks.find, jitter(predictions=flat)) == []
    assert told(max_on_more_tasks.find, jitter(predictions=())) == []
    assert told(max_over_average.find, jitter(predictions=())) == []


def test_max_on_more_tasks_stays_silent_where_it_does_not_grow(told, jitter) -> None:
    flat = tuple(msgspec.structs.replace(one, maximum_s=20.5e-6) for one in jitter().predictions)
    assert told(max_on_more_tasks.find, jitter())
    assert told(max_on_more_tasks.find, jitter(predictions=flat)) == []


def test_max_over_average_stays_silent_of_tasks_that_do_not_exchange(told, jitter) -> None:
    assert told(max_over_average.find, jitter())
    assert told(max_over_average.find, jitter(predictions=())) == []
