"""Rules that say that something went wrong: with the right numbers, and not without cause."""

import dataclasses

import msgspec
import pytest

from leadline.analysis.findings.rules.absent import incomplete
from leadline.analysis.findings.rules.answers import unverified, wrong_data
from leadline.analysis.findings.rules.interference import busy_machine
from leadline.analysis.findings.rules.interruptions import disturbed, heavy_tail, oversubscribed
from leadline.analysis.findings.rules.levels import launches_differ
from leadline.analysis.findings.rules.limits_exceeded import impossible
from leadline.analysis.findings.rules.machine import machine_changed, machine_check
from leadline.analysis.findings.rules.precision import clock_uncertain, imprecise, near_clock
from leadline.analysis.results.pairs import missing_figure
from leadline.model.placement import Placement
from leadline.model.plan import Entry, Stopping
from leadline.model.run import Outcome

ALL = (
    busy_machine,
    clock_uncertain,
    disturbed,
    heavy_tail,
    imprecise,
    impossible,
    incomplete,
    launches_differ,
    machine_changed,
    machine_check,
    near_clock,
    oversubscribed,
    unverified,
    wrong_data,
)


@pytest.mark.parametrize("rule", ALL, ids=lambda rule: rule.kind.rpartition(".")[2])
def test_clean_data_has_no_such_finding(rule, evidence, figure) -> None:
    assert list(rule.find(evidence([figure(), figure(2e-6, 16), figure(5e-6, None)]))) == []


def test_wrong_data_counts_bytes_points_and_launches(evidence, figure) -> None:
    whole = evidence([figure(), figure(1e-6, 16)], result={"wrong_bytes": 5})
    (found,) = wrong_data.find(whole)
    assert found.severity == "problem" and found.points == (0, 1)
    assert found.evidence == {"wrong_bytes": 30.0, "points": 2.0, "launches": 3.0}
    assert "30 wrong bytes at 2 points in 3 launches" in found.text


def test_wrong_data_is_told_even_when_no_figure_is_left(evidence, figure) -> None:
    whole = evidence([figure()], result={"wrong_bytes": 1})
    without = msgspec.structs.replace(whole.run)
    bare = type(whole)(run=without, points=(), sweeps=())
    (found,) = wrong_data.find(bare)
    assert found.points == ()


def test_incomplete_says_how_and_what_is_missing(evidence, figure) -> None:
    whole = evidence(
        [figure()],
        launch={"points": (), "outcome": Outcome(state="failed", message="rank 1 was killed")},
        outcome=Outcome(state="incomplete", message="launches failed"),
    )
    missing = tuple(missing_figure(whole.run, point, {}) for point in whole.run.points)
    (found,) = incomplete.find(dataclasses.replace(whole, missing=missing))
    assert found.severity == "problem"
    assert found.text.startswith("All 3 launches failed: rank 1 was killed.")
    assert found.text.endswith("Nothing was measured.")
    assert found.evidence["launches_failed"] == 3
    assert found.command == "leadline run family/thing --place 1x2"


def test_an_unknown_host_is_one_line_and_the_run_is_repeated_as_it_was(evidence, figure) -> None:
    message = (
        "ssh: Could not resolve hostname nosuchhost1: Name or service not known: check the names "
        "given to --hosts"
    )
    whole = evidence(
        [figure()],
        launch={"points": (), "outcome": Outcome(state="failed", message=message)},
        outcome=Outcome(state="failed", message=f"1 of 1 launches failed; {message}"),
        plan={
            "entries": (Entry(benchmarks=("family/thing",), axes={"bytes": "8"}),),
            "hosts": ("nosuchhost1", "b"), "placements": (Placement(2, 1),), "launches": 1,
            "mpi": ("first",), "knobs": {"limit": "default,16K"}, "bind": False,
        },
    )  # fmt: skip
    missing = tuple(missing_figure(whole.run, point, {}) for point in whole.run.points)
    (found,) = incomplete.find(dataclasses.replace(whole, missing=missing))
    assert found.text == "Host nosuchhost1 is unknown: check --hosts. Nothing was measured."
    assert found.command == (
        "leadline run family/thing --bytes 8 --place 2x1 --mpi first --hosts nosuchhost1,b "
        "--launches 1 --knob limit=default,16K --no-bind"
    )


def test_an_interrupted_run_says_what_is_kept_and_how_to_go_on(evidence, figure) -> None:
    whole = evidence([figure()], outcome=Outcome(state="interrupted", message="by SIGINT"))
    missing = tuple(missing_figure(whole.run, point, {}) for point in whole.run.points)
    (found,) = incomplete.find(dataclasses.replace(whole, missing=missing))
    assert found.text == "The run was interrupted. 1 of 1 point was measured."
    assert found.advice == "Measure again to get the rest; what was measured is kept."
    assert found.command == "leadline run family/thing --place 1x2"


def test_a_run_that_was_killed_is_incomplete(evidence, figure) -> None:
    outcome = Outcome(state="incomplete", message="leadline itself was killed")
    (found,) = incomplete.find(evidence([figure()], outcome=outcome))
    assert found.severity == "problem" and "leadline itself was killed" in found.text


def test_a_run_that_goes_on_is_said_to_go_on(evidence, figure) -> None:
    whole = evidence(
        [figure()],
        launch={"outcome": Outcome(state="running")},
        outcome=Outcome(state="running"),
    )
    (found,) = incomplete.find(whole)
    assert found.severity == "notice"
    assert "is still being measured: 1 of 1 point finished so far" in found.text
    assert found.evidence["launches"] == 3
    assert found.command == f"leadline show {whole.run.run}"


def test_what_this_host_cannot_see_of_a_run_is_said(evidence, figure) -> None:
    outcome = Outcome(state="running", message="on login1 as process 7: only there can be seen")
    (found,) = incomplete.find(evidence([figure()], outcome=outcome))
    assert "may still go on (on login1 as process 7" in found.text


def test_disturbed_names_flag_share_and_worst_point(evidence, figure) -> None:
    calm = figure(1e-6, 16, samples=990, excluded=10)
    hit = figure(flags={"preempted": 120, "page_fault": 1}, samples=900, excluded=100)
    (found,) = disturbed.find(evidence([calm, hit]))
    assert found.evidence == {
        "preempted_fraction": 0.06,
        "preempted_repetitions": 120.0,
        "worst_fraction": 0.12,
    }
    assert found.text == (
        "Another process took a core in 6 % of the repetitions (most: family/thing, 8 B, 12 %)."
    )
    assert found.advice is None
    assert found.points == (1,)


def test_a_rare_preemption_is_no_disturbance(evidence, figure) -> None:
    assert not list(disturbed.find(evidence([figure(flags={"preempted": 9})])))


def test_disturbances_of_one_run_are_one_finding(evidence, figure) -> None:
    hit = [figure(flags={"preempted": 90, "late_start": 60}), figure(1e-6, 16)]
    (found,) = disturbed.find(evidence(hit))
    assert "4.5 % of the repetitions (most: family/thing, 8 B, 9 %)" in found.text
    assert "3 % of the repetitions started late and are left out" in found.text
    assert found.evidence["late_start_repetitions"] == 60 and found.points == (0,)


def test_migration_without_pinning_is_told_to_pin(evidence, figure) -> None:
    moved = [figure(flags={"migrated": 100})]
    (found,) = disturbed.find(evidence(moved, plan={"bind": False}))
    assert found.advice == "Pin the ranks."
    assert found.command == "leadline run family/thing --place 1x2"


def test_busy_machine_tells_how_much_others_took(evidence, figure) -> None:
    whole = evidence([figure()], load_during={"busy_fraction": 0.52, "stolen_fraction": 0.2})
    busy, stolen = busy_machine.find(whole)
    assert busy.text.startswith("Other programs used 52 % of the processors' time.")
    assert busy.evidence == {"busy_fraction": 0.52}
    assert "20 %" in stolen.text
    # Nobody was seen who could be stopped.
    assert busy.advice is busy.command is stolen.advice is None


def test_a_machine_of_ones_own_is_not_busy(evidence, figure) -> None:
    quiet = {"busy_fraction": 0.04, "stolen_fraction": 0.01}
    assert not list(busy_machine.find(evidence([figure()], load_during=quiet)))


def test_machine_checks_that_failed_are_told(evidence, figure) -> None:
    def result(status: str) -> dict[str, object]:
        return {
            "name": "governor",
            "status": status,
            "observed": "powersave",
            "meaning": "Clocks change.",
            "advice": "Set it.",
            "command": "cpupower",
            "numbers": {"cores": 2.0},
        }

    made = [result(status) for status in ("bad", "warn", "ok", "unknown")]
    bad, warn = machine_check.find(evidence([figure()], doctor=made))
    assert (bad.severity, warn.severity) == ("notice", "fact")
    assert bad.text == "governor: powersave. Clocks change."
    assert bad.evidence == {"cores": 2.0} and bad.command == "cpupower"


def test_launches_that_differ_ask_for_more_launches(evidence, figure) -> None:
    unstable = figure(4e-6, 64, launch_medians_s=(2e-6, 4e-6, 9e-6))
    (found,) = launches_differ.find(evidence([figure(), unstable]))
    # Standard deviation 3.606 over a mean of 5.
    assert found.evidence["launch_variation"] == pytest.approx(0.7211, rel=1e-3)
    assert found.points == (1,)
    assert "varies between 3 launches: 2.00 us to 9.00 us (72 %)" in found.text
    assert found.command == (
        "leadline run family/thing --place 1x2 --mpi first --bytes 64 --launches 10"
    )


def test_a_launch_in_which_everything_is_slow_is_the_machines(evidence, figure) -> None:
    slow = [figure(size=2**n, launch_medians_s=(1e-6, 2.5e-6, 1.01e-6)) for n in range(8)]
    untouched = figure(size=4096, launch_medians_s=(1e-6, 1e-6, 1e-6))
    (found,) = machine_changed.find(evidence([*slow, untouched]))
    assert found.evidence["slow_launches"] == 1 and found.evidence["launches"] == 3
    assert found.evidence["slowdown_ratio"] == pytest.approx(2.5)
    assert found.evidence["slower_figures_fraction"] == pytest.approx(8 / 9)
    assert found.text.startswith("1 of 3 launches was slow throughout (2.5x)")


def test_figures_that_vary_one_by_one_are_not_the_machines(evidence, figure) -> None:
    one = figure(size=1, launch_medians_s=(1e-6, 9e-6, 1e-6))
    steady = [figure(size=2**n, launch_medians_s=(1e-6, 1.1e-6, 1e-6)) for n in range(1, 8)]
    assert not list(machine_changed.find(evidence([one, *steady])))
    few = [figure(size=2**n, launch_medians_s=(1e-6, 3e-6, 1e-6)) for n in range(4)]
    assert not list(machine_changed.find(evidence(few)))


def test_launches_that_differ_no_more_than_their_samples_are_fine(evidence, figure) -> None:
    noisy = figure(launch_medians_s=(1e-6, 1.2e-6, 1.4e-6), within_launch_precision=0.2)
    assert not list(launches_differ.find(evidence([noisy])))


@pytest.mark.parametrize(("limit", "option"), [("seconds", "16"), ("maximum", "160000")])
def test_imprecise_says_how_much_more_it_takes(limit: str, option: str, evidence, figure) -> None:
    wide = figure(stopped_by=limit, within_launch_precision=0.08)
    stopping = {"stopping": Stopping(precision=0.02, seconds=1.0, maximum=10_000)}
    (found,) = imprecise.find(evidence([wide], plan=stopping))
    assert found.command and found.command.endswith(f"--{limit} {option}")
    assert found.evidence["precision_reached"] == 0.08


def test_a_figure_that_is_precise_all_the_same_is_fine(evidence, figure) -> None:
    assert not list(imprecise.find(evidence([figure(stopped_by="seconds")])))


def test_oversubscribed_figures_are_counted(evidence, figure) -> None:
    crowded = figure(nodes=1, processes_per_node=8, processes=8, oversubscribed=True)
    (found,) = oversubscribed.find(evidence([figure(), crowded]))
    assert found.points == (1,) and "1x8" in found.text
    assert found.evidence == {"figures": 1.0, "most_processes": 8.0}


def test_clock_uncertain_compares_error_and_figure(evidence, figure) -> None:
    pair = [figure(1e-6), figure(1e-3, 16)]
    (found,) = clock_uncertain.find(evidence(pair, result={"clock_error_s": 2e-7}))
    assert found.points == (0,)
    assert found.evidence["clock_error_s"] == 2e-7
    assert "200 ns" in found.text and "--start barrier" in (found.command or "")


def test_samples_marked_for_their_clock_are_told(evidence, figure) -> None:
    (found,) = clock_uncertain.find(evidence([figure(flags={"clock_uncertain": 300})]))
    assert found.evidence["clock_uncertain_fraction"] == 0.3


def test_near_clock_takes_the_batch_into_account(evidence, figure) -> None:
    quick = [figure(1e-7)]
    (found,) = near_clock.find(evidence(quick, result={"batch": 1}))
    assert found.evidence["clock_and_harness_s"] == pytest.approx(2.1e-8)
    assert "21 %" in found.text
    assert not list(near_clock.find(evidence(quick, result={"batch": 10})))
    window = {"batch": 1, "operations_per_call": 10}
    assert not list(near_clock.find(evidence(quick, result=window)))


@pytest.mark.parametrize("changes", [{"min_s": 0.0}, {"min_s": -1e-9}, {"median_s": 5e-11}])
def test_impossible_times_are_problems(changes: dict[str, float], evidence, figure) -> None:
    wrong = msgspec.structs.replace(figure(), **changes)
    (found,) = impossible.find(evidence([wrong, figure(1e-6, 16)]))
    assert found.severity == "problem" and found.points == (0,)
    assert found.evidence["clock_step_s"] == pytest.approx(1e-10)


def _tail(low_s: float) -> Shape:
    return Shape(effective_samples=900.0, modes=(), p99_low_s=low_s, p99_high_s=2 * low_s)


def test_heavy_tail_gives_the_ratio(evidence, figure) -> None:
    tailed = figure(1e-6, 16, p99_s=4e-6, max_s=9e-6, shape=_tail(3e-6))
    (found,) = heavy_tail.find(evidence([figure(), tailed]))
    assert found.evidence["p99_over_median"] == pytest.approx(4.0)
    assert found.points == (1,) and "9.00 us" in found.text


def test_a_tail_of_few_samples_is_not_judged(evidence, figure) -> None:
    assert not list(heavy_tail.find(evidence([figure(p99_s=None, samples=50)])))
    assert not list(heavy_tail.find(evidence([figure(p99_s=1.0, samples=90)])))


def test_a_heavy_tail_is_surely_heavy(evidence, figure) -> None:
    (found,) = heavy_tail.find(evidence([figure(p99_s=4e-6, shape=_tail(2e-6))]))
    assert "take at least 4.00 us (median 1.00 us, 4.0x; slowest 3.00 us)" in found.text
    assert found.command == "leadline doctor"
    assert not list(heavy_tail.find(evidence([figure(p99_s=4e-6, shape=_tail(1.9e-6))])))


def test_launches_without_an_interval_of_their_own_are_imprecise(evidence, figure) -> None:
    few = {"samples": 6, "within_launch_precision": None, "stopped_by": "seconds"}
    whole = evidence([figure(**few), figure(1e-6, 16, **few)])
    (found,) = imprecise.find(whole)
    assert found.points == (0, 1)
    assert found.evidence == {"samples_per_launch": 2.0, "samples_needed": 6.0, "figures": 2.0}
    assert "reached after 2 samples a launch; an interval needs 6" in found.text
    assert "--seconds " in (found.command or "")


def test_an_interval_wider_than_its_median_is_no_percentage(evidence, figure) -> None:
    wide = figure(stopped_by="seconds", within_launch_precision=550.21)
    (found,) = imprecise.find(evidence([wide]))
    assert "an interval of 550 medians to each side" in found.text and "%" not in found.text


def test_launches_with_too_few_samples_are_not_said_to_differ(evidence, figure) -> None:
    seconds = (1e-6, 1.6e-6, 1.1e-6)
    few = figure(launch_medians_s=seconds, samples=6, within_launch_precision=None)
    known = figure(launch_medians_s=seconds, within_launch_precision=0.01)
    assert not list(launches_differ.find(evidence([few])))
    assert list(launches_differ.find(evidence([known])))


def test_figures_that_nobody_checked_are_told(evidence, figure) -> None:
    (found,) = unverified.find(evidence([figure(), figure(1e-6, 16, verified=False)]))
    assert found.points == (1,) and (found.command or "").endswith("--bytes 16")
    wrong = evidence([figure(verified=False)], result={"wrong_bytes": 1})
    assert not list(unverified.find(wrong))
