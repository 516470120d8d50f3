"""Planned points without a figure: all are named, each with its reason."""

from collections.abc import Sequence

import msgspec
import pytest
from sample_rows import LATE, PREEMPTED, WRONG, Row, Samples, good, make_run

from leadline.analysis.findings.conclude import conclude
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rules.absent import no_figure
from leadline.model.plan import Point
from leadline.model.run import Outcome, Run, Skip
from leadline.model.summary import Analysis, MissingFigure


def rows(*flags: int) -> list[Row]:
    return [
        (0, repetition, rank, 0, flag if rank else 0, 1e-6)
        for repetition, flag in enumerate(flags)
        for rank in (0, 1)
    ]


def missing(run: Run, *points: Sequence[Row]) -> tuple[MissingFigure, ...]:
    return conclude(run, Samples(dict(enumerate(map(list, points))))).missing


def evidence_of(run: Run, analysis: Analysis) -> Evidence:
    return Evidence(run, analysis.points, analysis.sweeps, missing=analysis.missing)


def planned(analysis: Analysis) -> list[int | None]:
    return sorted([p.point for p in analysis.points] + [m.point for m in analysis.missing])


def test_a_point_with_a_usable_repetition_is_not_missing() -> None:
    run = make_run(good())
    assert missing(run, rows(LATE, LATE, 0)) == ()


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        ((LATE, LATE | PREEMPTED), "a rank came too late for the agreed start"),
        ((WRONG, WRONG), "the check after them found wrong data"),
        ((LATE, WRONG), "the agreed start or the check after them found wrong data"),
    ],
)
def test_a_point_whose_repetitions_are_all_set_aside_is_a_problem(flags, reason) -> None:
    run = make_run(good())
    analysis = conclude(run, Samples({0: rows(*flags)}))
    (point,) = analysis.missing
    assert point.reason.startswith("every repetition is set aside: ")
    assert point.reason.endswith(reason)
    assert point.set_aside == 2 and point.bytes == 64 and not point.left_out
    (finding,) = no_figure.find(evidence_of(run, analysis))
    assert "no_figure" in {one.kind for one in analysis.findings}
    assert finding.severity == "problem" and point.reason in finding.text
    assert finding.evidence == {"points": 1.0, "repetitions_set_aside": 2.0}
    late = any(flag & LATE for flag in flags)
    assert ("--start barrier" in (finding.command or "")) == late


def test_a_time_that_is_no_number_is_no_figure() -> None:
    ((point,),) = (missing(make_run(good()), [(0, 0, 0, 0, 0, float("nan"))]),)
    assert point.reason == "every repetition is set aside: its time is no number"


def test_wrong_data_before_the_first_repetition_is_the_reason_and_a_problem() -> None:
    run = make_run(good(wrong_bytes=3, verified=False))
    analysis = conclude(run, Samples({}))
    assert [m.reason for m in analysis.missing] == [
        "the check before the first repetition found wrong data"
    ]
    assert "wrong_data" in {finding.kind for finding in analysis.findings}


def test_a_point_that_the_probe_left_out_has_the_reason_that_it_gave() -> None:
    run = make_run(good(), points=2, skipped=(Skip(point=1, reason="no such call"),))
    (point,) = missing(run, rows(0))
    assert (point.point, point.reason, point.left_out) == (1, "no such call", True)


def test_a_point_that_a_launch_did_not_reach_says_how_it_ended() -> None:
    ended = Outcome(state="timed out", message="after 5 s")
    run = make_run(good(), points=2, outcome=ended)
    run.outcome = Outcome(state="incomplete", message="1 of 1 launches failed")
    (point,) = missing(run, rows(0))
    assert point.reason == "launch 1 ended timed out before it: after 5 s"


def test_a_point_that_no_launch_tried_says_how_the_run_ended() -> None:
    run = make_run(good(), points=2)
    run.outcome = Outcome(state="interrupted", message="by SIGINT")
    (point,) = missing(run, rows(0))
    assert point.reason == "the run ended interrupted: by SIGINT"
    run.outcome = Outcome(state="running")
    (point,) = missing(run, rows(0))
    assert point.reason == "it is not measured yet"


def test_every_planned_point_has_a_figure_or_a_reason() -> None:
    run = make_run(good(), points=4, skipped=(Skip(point=3, reason="too small"),))
    results = (good(), msgspec.structs.replace(good(), point=1))
    run.launches = [msgspec.structs.replace(run.launches[0], points=results)]
    analysis = conclude(run, Samples({0: rows(0), 1: rows(LATE)}))
    assert planned(analysis) == [point.index for point in run.points] == [0, 1, 2, 3]


def test_late_repetitions_without_a_figure_count_as_disturbed() -> None:
    run = make_run(good(), points=2)
    other: Point = run.points[1]
    results = (good(), msgspec.structs.replace(good(), point=other.index))
    run.launches = [msgspec.structs.replace(run.launches[0], points=results)]
    analysis = conclude(run, Samples({0: rows(0, 0), 1: rows(LATE, LATE)}))
    (found,) = [
        one
        for one in analysis.findings
        if one.kind == "disturbed" and "late_start_fraction" in one.evidence
    ]
    assert found.evidence["late_start_fraction"] == 0.5
