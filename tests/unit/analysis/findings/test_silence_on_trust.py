"""Findings on the measuring stay silent of what does no harm."""

import dataclasses

import pytest
from silent_findings import told

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rules.absent import incomplete, no_figure, not_available
from leadline.analysis.findings.rules.answers import unverified, wrong_data
from leadline.analysis.findings.rules.interference import busy_machine
from leadline.analysis.findings.rules.interruptions import disturbed, oversubscribed
from leadline.analysis.findings.rules.levels import launches_differ
from leadline.analysis.findings.rules.machine import machine_changed, machine_check, simulated
from leadline.analysis.findings.rules.precision import clock_uncertain, imprecise, near_clock
from leadline.model.run import Outcome, Skip
from leadline.model.summary import MissingFigure


@pytest.mark.parametrize("set_aside", [0, 40])
def test_no_figure_stays_silent_of_points_that_were_left_out(evidence, figure, set_aside) -> None:
    missing = MissingFigure(
        point=0, benchmark="family/thing", axes={}, settings={}, bytes=8, processes=2, nodes=1,
        processes_per_node=2, mpi="first", reason="there are too few ranks",
        left_out=not set_aside, set_aside=set_aside,
    )  # fmt: skip
    whole = dataclasses.replace(evidence([figure()]), missing=(missing,))
    assert told(no_figure, whole) is bool(set_aside)


def test_busy_machine_stays_silent_of_housekeeping(evidence, figure) -> None:
    for share, loud in ((0.3, True), (0.09, False)):
        assert told(busy_machine, evidence([figure()], load_during={"busy_fraction": share})) is (
            loud
        )


def test_clock_uncertain_stays_silent_of_long_operations(evidence, figure) -> None:
    error = {"clock_error_s": 2e-6}
    assert told(clock_uncertain, evidence([figure(1e-6)], result=error))
    assert not told(clock_uncertain, evidence([figure(1e-3)], result=error))


def test_near_clock_stays_silent_of_operations_in_a_batch(evidence, figure) -> None:
    assert told(near_clock, evidence([figure(1e-8)], result={"batch": 1}))
    assert not told(near_clock, evidence([figure(1e-8)], result={"batch": 1000}))


def test_disturbed_stays_silent_of_rare_preemptions(evidence, figure) -> None:
    assert told(disturbed, evidence([figure(flags={"preempted": 90})]))
    assert not told(disturbed, evidence([figure(flags={"preempted": 9})]))


def test_imprecise_stays_silent_of_what_is_precise_though_time_ended(evidence, figure) -> None:
    wide = {"stopped_by": "seconds", "within_launch_precision": 0.3}
    assert told(imprecise, evidence([figure(**wide)]))
    assert not told(imprecise, evidence([figure(**wide | {"within_launch_precision": 0.01})]))


def test_launches_differ_stays_silent_where_samples_differ_as_much(evidence, figure) -> None:
    apart = {"launch_medians_s": (1e-6, 1.3e-6, 1.6e-6)}
    assert told(launches_differ, evidence([figure(**apart)]))
    assert not told(launches_differ, evidence([figure(**apart, within_launch_precision=0.3)]))


def test_machine_changed_stays_silent_where_each_figure_has_its_own_slow_launch(
    evidence, figure
) -> None:
    def slow(launch_of) -> Evidence:
        return evidence(
            [
                figure(
                    size=2**n,
                    launch_medians_s=tuple(1e-6 * (1 + (i == launch_of(n))) for i in range(3)),
                )
                for n in range(9)
            ]
        )

    assert told(machine_changed, slow(lambda n: 1))
    assert not told(machine_changed, slow(lambda n: n % 3))


@pytest.mark.parametrize(("status", "loud"), [("bad", True), ("unknown", False), ("ok", False)])
def test_machine_check_stays_silent_of_what_nobody_knows(evidence, figure, status, loud) -> None:
    result = {"name": "governor", "status": status, "observed": "powersave?", "meaning": "Bad."}
    assert told(machine_check, evidence([figure()], doctor=[result])) is loud


def test_incomplete_stays_silent_of_points_left_out_for_a_reason(evidence, figure) -> None:
    cut = {"outcome": Outcome(state="failed", message="killed"), "points": ()}
    assert told(incomplete, evidence([figure()], launch=cut))
    left_out = {"points": (), "skipped": (Skip(point=0, reason="too few ranks"),)}
    assert not told(incomplete, evidence([figure()], launch=left_out))


def test_not_available_stays_silent_of_points_that_failed(evidence, figure) -> None:
    left_out = {"points": (), "skipped": (Skip(point=0, reason="too few ranks"),)}
    assert told(not_available, evidence([figure()], launch=left_out))
    cut = {"outcome": Outcome(state="failed", message="killed"), "points": ()}
    assert not told(not_available, evidence([figure()], launch=cut))


@pytest.mark.parametrize("crowded", [True, False])
def test_oversubscribed_stays_silent_of_a_full_node(evidence, figure, crowded) -> None:
    full = figure(processes=64, processes_per_node=64, oversubscribed=crowded)
    assert told(oversubscribed, evidence([full])) is crowded


def test_simulated_stays_silent_of_measured_figures_beside_a_plan(evidence, figure) -> None:
    # A run in the place of the simulated one; `test_simulated` has what speaks.
    assert not told(simulated, evidence([figure()], plan={"platform": "chic"}))


def test_unverified_stays_silent_of_what_is_wrong(evidence, figure) -> None:
    unchecked = [figure(verified=False)]
    assert told(unverified, evidence(unchecked))
    assert not told(unverified, evidence(unchecked, result={"wrong_bytes": 1}))


def test_wrong_data_stays_silent_of_what_nobody_checked(evidence, figure) -> None:
    unchecked = [figure(verified=False)]
    assert told(wrong_data, evidence(unchecked, result={"wrong_bytes": 1}))
    assert not told(wrong_data, evidence(unchecked, result={"verified": False}))
