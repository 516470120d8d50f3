"""Each kind of finding has a test with data in which the numbers tempt and it stays silent.

Beside each such test stands what makes the same rule speak. Tests of this kind are called
`test_KIND_stays_silent_...`, here or in the file of their subject.
"""

import dataclasses
import re
from pathlib import Path

import msgspec
import pytest

from leadline.analysis.findings.curve_causes import halves
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.kinds import kinds
from leadline.analysis.findings.limits import bounds_of
from leadline.analysis.findings.rules import (
    best_size,
    busy_machine,
    clock_uncertain,
    communication_share,
    disturbed,
    drift,
    erratic,
    fast_but_wrong,
    grows_with_processes,
    heavy_tail,
    impossible,
    imprecise,
    incomplete,
    knobs_compared,
    larger_is_faster,
    latency_limit,
    launch_scatter,
    launches_differ,
    level_change,
    link_limit,
    machine_changed,
    machine_check,
    near_clock,
    no_figure,
    not_available,
    oscillation,
    overlap,
    oversubscribed,
    protocol_switch,
    rate_falls,
    several_modes,
    simulated,
    speedup,
    speedup_stops,
    split_is_faster,
    unverified,
    variants_compared,
    warm_up,
    weak_scaling,
    wrong_data,
)
from leadline.model.description import Delivery, Series
from leadline.model.imported import Bound
from leadline.model.run import Outcome, Skip
from leadline.model.shape import LevelChange, Mode, Shape
from leadline.model.summary import MissingFigure

KIB = 1024


def test_every_kind_has_a_test_in_which_it_stays_silent() -> None:
    text = "".join(path.read_text() for path in sorted(Path(__file__).parent.glob("test_*.py")))
    lacking = [kind for kind in kinds() if not re.search(rf"def test_{kind}_stays_silent_", text)]
    assert lacking == []


def told(rule, whole: Evidence) -> bool:
    return bool(list(rule.find(whole)))


def declared(whole: Evidence, ways: bool = True, **changes: object) -> Evidence:
    """The same figures of a benchmark that says something else of itself."""
    (one,) = whole.run.benchmarks
    axes = tuple(msgspec.structs.replace(axis, ways=ways) for axis in one.axes)
    known = msgspec.structs.replace(one, axes=axes, **changes)
    return dataclasses.replace(whole, run=msgspec.structs.replace(whole.run, benchmarks=[known]))


def limited(whole: Evidence, value: float, burst: int = 0) -> Evidence:
    bound = Bound(quantity="bandwidth_MBps", value=value, where="node", burst_bytes=burst)
    return dataclasses.replace(whole, bounds=(bound,))


def smooth(size: int) -> float:
    return 1e-6 + size / 1e9


def stepped(size: int) -> float:
    return smooth(size) * (1 + 2 * (size >= 8192))


def swinging(size: int) -> float:
    return smooth(size) * (1 + 0.2 * (-1) ** size.bit_length())


def bursting(size: int) -> float:
    """One way over a shaped link of 100 MB/s that lets the first 16 KiB pass at once."""
    return 1e-6 + size / 1e9 + max(0, size - 16 * KIB) / 1e8


def test_best_size_stays_silent_where_no_link_keeps_the_rate_up(evidence, curve) -> None:
    whole = evidence(curve(smooth))
    assert told(best_size, limited(whole, 1100.0))
    assert not told(best_size, limited(whole, 0.5))


def test_sizes_that_only_a_buffer_lets_pass_are_not_recommended(evidence, curve) -> None:
    whole = limited(evidence(curve(bursting)), 100.0, burst=16 * KIB)
    (free,) = best_size.find(evidence(curve(bursting)))
    assert free.evidence["best_size_bytes"] == 16 * KIB
    (found,) = best_size.find(whole)
    assert found.evidence["best_MBps"] <= 102
    assert found.evidence["plateau_from_bytes"] >= 256 * KIB


@pytest.mark.parametrize(
    ("sizes", "messages", "words"),
    [(("join",), True, "Join small messages"), (("join",), False, "Join small calls"),
     (("split", "pad"), True, None)],
)  # fmt: skip
def test_what_cannot_be_joined_is_not_told_to_join(evidence, curve, sizes, messages, words) -> None:
    whole = declared(evidence(curve(smooth)), sizes=sizes, messages=messages)
    assert [one.advice.startswith(words) for one in best_size.find(whole)] == [True] * bool(words)


def test_what_cannot_be_split_is_not_told_to_split(evidence, curve) -> None:
    def falling(size: int) -> float:
        return smooth(size) + max(0, size - 2**19) / 5e8

    (found,) = rate_falls.find(evidence(curve(falling)))
    assert "into pieces of 512 KiB" in found.advice
    (found,) = rate_falls.find(declared(evidence(curve(falling)), sizes=("join", "pad")))
    assert "pieces" not in found.advice


def test_rate_falls_stays_silent_of_what_a_buffer_let_pass(evidence, curve) -> None:
    whole = evidence(curve(bursting))
    assert told(rate_falls, whole)
    assert not told(rate_falls, limited(whole, 100.0, burst=16 * KIB))


def test_the_end_of_a_buffer_is_no_way_of_sending(evidence, curve) -> None:
    whole = evidence(curve(bursting))
    shaped = limited(whole, 100.0, burst=16 * KIB)
    (sweep,) = whole.sweeps
    assert list(halves(whole, sweep)) and not list(halves(shaped, sweep))
    assert not told(split_is_faster, shaped) and not told(protocol_switch, shaped)


def test_split_is_faster_stays_silent_of_what_cannot_be_split(evidence, curve) -> None:
    whole = evidence(curve(lambda size: smooth(size) + 6e-6 * (size == 65536)))
    assert told(split_is_faster, whole)
    assert not told(split_is_faster, declared(whole, sizes=("join", "pad")))


def test_larger_is_faster_stays_silent_of_what_cannot_be_padded(evidence, curve) -> None:
    whole = evidence(curve(lambda size: smooth(size) + 5e-5 * (2048 <= size < 8192)))
    assert told(larger_is_faster, whole)
    assert not told(larger_is_faster, declared(whole, sizes=("join", "split")))


def test_protocol_switch_stays_silent_of_what_is_not_sent(evidence, curve) -> None:
    whole = evidence(curve(stepped))
    assert told(protocol_switch, whole)
    assert not told(protocol_switch, declared(whole, messages=False))


def test_oscillation_stays_silent_of_what_is_not_sent(evidence, curve) -> None:
    whole = evidence(curve(swinging))
    assert told(oscillation, whole)
    assert not told(oscillation, declared(whole, messages=False))


def test_link_limit_stays_silent_of_what_takes_no_link(evidence, curve) -> None:
    whole = limited(evidence(curve(smooth)), 5000.0)
    assert told(link_limit, whole)
    assert not told(link_limit, declared(whole, messages=False))


def test_impossible_stays_silent_of_what_a_buffer_lets_pass(evidence, curve) -> None:
    whole = evidence(curve(bursting))
    assert told(impossible, limited(whole, 100.0))
    assert not told(impossible, limited(whole, 100.0, burst=16 * KIB))


def cluster(
    *rates: int | None,
    switches: tuple[int, ...] = (),
    backbone: int | None = None,
    latency_s: float = 0.0,
):
    hosts = [
        {"name": f"h{n}", "switch": (switches or (0,) * 9)[n], "link_bit_per_s": rate,
         "burst_bytes": 16 * KIB, "link_latency_s": latency_s}
        for n, rate in enumerate(rates)
    ]  # fmt: skip
    found = {"hosts": hosts, "backbone_bit_per_s": backbone, "backbone_latency_s": latency_s}
    return {"virtual_cluster": found}


@pytest.mark.parametrize(
    ("machine", "rate"),
    [
        (cluster(10**9, 10**9), 125.0),
        (cluster(10**9, 10**8), 12.5),
        # The fastest two of three.
        (cluster(10**9, 10**8, 10**9), 125.0),
        (cluster(10**9, 10**9, switches=(0, 1), backbone=10**8), 12.5),
        (cluster(10**9, None), None),
        (cluster(10**9), None),
        ({}, None),
    ],
)
def test_a_virtual_cluster_knows_the_rate_of_its_links(evidence, figure, machine, rate) -> None:
    bounds = bounds_of(evidence([figure()], machine=machine, plan={"hosts": ("lab",)}).run)
    assert [bound.value for bound in bounds] == ([rate] if rate else [])
    assert all((b.where, b.burst_bytes) == ("network", 16 * KIB) for b in bounds)


@pytest.mark.parametrize(
    ("hosts", "least_s"),
    [
        (("lab",), 100e-6),
        (("lab/red",), 100e-6),
        (("lab:h0", "h1"), 100e-6),
        # Over the link between the switches.
        (("lab:h0", "h2"), 150e-6),
    ],
)
def test_a_virtual_cluster_knows_the_latency_of_its_links(evidence, figure, hosts, least_s) -> None:
    machine = cluster(10**9, 10**9, 10**9, switches=(0, 0, 1), backbone=10**9, latency_s=50e-6)
    bounds = bounds_of(evidence([figure()], machine=machine, plan={"hosts": hosts}).run)
    assert [bound.quantity for bound in bounds] == ["bandwidth_MBps", "latency_s"]
    assert bounds[-1].value == pytest.approx(least_s)


def delayed(whole: Evidence, value: float, where: str = "node") -> Evidence:
    bound = Bound(quantity="latency_s", value=value, where=where)
    delivery = Delivery(sides="two-sided", series="time")
    return dataclasses.replace(declared(whole, delivery=delivery), bounds=(bound,))


def test_latency_limit_stays_silent_of_what_is_no_delivery(evidence, curve) -> None:
    whole = delayed(evidence(curve(smooth)), 0.8e-6)
    (found,) = latency_limit.find(whole)
    assert found.evidence["least_s"] == 0.8e-6
    assert found.evidence["software_s"] == pytest.approx(smooth(1) - 0.8e-6)
    # Calls that return before the message is there may take less.
    assert not told(latency_limit, declared(whole, delivery=None))
    assert not told(latency_limit, delayed(whole, 0.8e-6, where="network"))


def test_impossible_stays_silent_of_calls_that_return_early(evidence, curve) -> None:
    whole = delayed(evidence(curve(smooth)), 5e-6)
    assert told(impossible, whole)
    assert not told(latency_limit, whole)
    assert not told(impossible, declared(whole, delivery=None))


def test_fast_but_wrong_stays_silent_of_another_task(evidence, figure) -> None:
    whole = evidence([figure(2e-6), figure(1e-6, way="clever", verified=False)])
    assert told(fast_but_wrong, whole)
    assert not told(fast_but_wrong, declared(whole, ways=False))


def test_launch_scatter_stays_silent_of_different_tasks(evidence, figure) -> None:
    restless = tuple(1e-6 * (1.0 + 0.8 * (number % 2)) for number in range(12))
    whole = evidence(
        [figure(1e-6, launches=12),
         figure(1.4e-6, way="clever", launches=12, launch_medians_s=restless)]
    )  # fmt: skip
    assert told(launch_scatter, whole)
    assert not told(launch_scatter, declared(whole, ways=False))


@pytest.mark.parametrize("ends_by", [(), ("way",)])
def test_variants_compared_stays_silent_of_other_ends(evidence, figure, ends_by) -> None:
    whole = evidence([figure(2e-6), figure(1e-6, way="clever")])
    series = (Series(name="time", definition="", ends_by=ends_by),)
    assert told(variants_compared, declared(whole, series=series)) is not bool(ends_by)


def test_knobs_compared_stays_silent_of_what_runs_beside(evidence, figure) -> None:
    def pair(knob: str) -> Evidence:
        return evidence([figure(1e-6, knobs={knob: "default"}), figure(9e-7, knobs={knob: "x"})])

    assert told(knobs_compared, pair("limit"))
    assert not told(knobs_compared, pair("beside"))


def test_erratic_stays_silent_where_intervals_are_known(evidence, curve) -> None:
    def jumping(size: int) -> float:
        return smooth(size) * (1 + 3 * (size.bit_length() % 3 == 0))

    assert told(erratic, evidence(curve(jumping, ci95_low_s=None, ci95_high_s=None)))
    assert not told(erratic, evidence(curve(jumping)))


def placed(figure, processes: int, seconds: float, **changes: object):
    place = {"processes": processes, "nodes": processes, "processes_per_node": 1}
    return figure(seconds, None, **place, **changes)


WORK = {"problem_size": 1.0}


def test_grows_with_processes_stays_silent_where_each_hands_over_more(evidence, figure) -> None:
    def times(blocks) -> Evidence:
        return evidence(
            [placed(figure, n, 1e-5 * n, bandwidth_MBps=blocks(n) * 0.8 / n) for n in (2, 4, 8, 16)]
        )

    assert told(grows_with_processes, times(lambda n: 1))
    assert not told(grows_with_processes, times(lambda n: n))


def test_grows_with_processes_stays_silent_of_divided_work(evidence, figure) -> None:
    def times(**changes: object) -> Evidence:
        return evidence([placed(figure, n, 1e-5 * n, **changes) for n in (2, 4, 8, 16)])

    assert told(grows_with_processes, times())
    assert not told(grows_with_processes, times(metrics=WORK))


@pytest.mark.parametrize("oversubscribed_", [False, True])
def test_speedup_stays_silent_of_ranks_that_share_cores(evidence, figure, oversubscribed_) -> None:
    figures = [
        placed(figure, n, 8.0 / n, metrics=WORK, oversubscribed=oversubscribed_) for n in (1, 2, 4)
    ]
    assert told(speedup, evidence(figures)) is not oversubscribed_


@pytest.mark.parametrize("metrics", [WORK, {}])
def test_speedup_stops_stays_silent_of_what_is_not_divided(evidence, figure, metrics) -> None:
    figures = [placed(figure, n, 8.0 / n + n, metrics=metrics) for n in (1, 2, 4, 8)]
    assert told(speedup_stops, evidence(figures)) is bool(metrics)


def test_work_that_gains_little_more_is_said_to_gain_little(evidence, figure) -> None:
    seconds = {1: 10.0, 2: 5.0, 4: 3.0, 8: 2.9}
    figures = [placed(figure, n, each, metrics=WORK) for n, each in seconds.items()]
    (found,) = speedup_stops.find(evidence(figures))
    assert "stops scaling at 4 processes: 10.0 s on 1, 3.00 s on 4; 8 processes take 2.90 s." in (
        found.text
    )
    assert "fastest" not in found.text


@pytest.mark.parametrize(
    ("share", "words"), [(80.0, "Join small messages"), (3.0, "communication is only 3 %")]
)
def test_messages_are_blamed_only_where_they_take_the_time(evidence, figure, share, words) -> None:
    metrics = {**WORK, "communication_percent": share}
    figures = [placed(figure, n, 8.0 / n + n, metrics=metrics) for n in (1, 2, 4, 8)]
    (found,) = speedup_stops.find(evidence(figures))
    assert words in found.advice


@pytest.mark.parametrize(
    ("way", "words"), [("plain", "Call MPI_Test"), ("clever", "way=clever does not help")]
)
def test_what_was_done_already_is_not_advised_again(evidence, figure, way, words) -> None:
    series = ("communication", "computation", "together")
    times = zip(series, (1e-5, 1e-5, 2e-5), strict=True)
    (found,) = overlap.find(evidence([figure(s, 8, series=name, way=way) for name, s in times]))
    assert words in found.advice


@pytest.mark.parametrize("grows", [True, False])
def test_weak_scaling_stays_silent_of_work_that_does_not_grow(evidence, figure, grows) -> None:
    figures = [
        placed(figure, n, 1.0 + n, metrics={"problem_size": 100.0 * (n if grows else 1)})
        for n in (1, 4, 16)
    ]
    assert told(weak_scaling, evidence(figures)) is grows


def test_communication_share_stays_silent_of_other_metrics(evidence, figure) -> None:
    assert told(communication_share, evidence([figure(metrics={"communication_percent": 90.0})]))
    assert not told(communication_share, evidence([figure(metrics={"communication_us": 90.0})]))


def _shaped(evidence, figure, **changes: object) -> Evidence:
    modes = changes.pop("modes", (Mode(at_s=1e-6, fraction=1.0),))
    return evidence([figure(shape=Shape(effective_samples=900, modes=modes, **changes))])


def test_drift_stays_silent_of_a_few_per_cent(evidence, figure) -> None:
    assert told(drift, _shaped(evidence, figure, drift_factor=1.2))
    assert not told(drift, _shaped(evidence, figure, drift_factor=1.09))


def test_level_change_stays_silent_of_small_steps(evidence, figure) -> None:
    def changed(factor: float) -> Evidence:
        steps = (LevelChange(launch=1, repetition=None, factor=factor),) * 3
        return _shaped(evidence, figure, changes=steps)

    assert told(level_change, changed(1.3)) and not told(level_change, changed(1.2))


def test_several_modes_stays_silent_of_modes_near_each_other(evidence, figure) -> None:
    def two(second: float) -> Evidence:
        modes = (Mode(at_s=1e-6, fraction=0.5), Mode(at_s=second, fraction=0.5))
        return _shaped(evidence, figure, modes=modes, modes_follow="chance")

    assert told(several_modes, two(1.5e-6)) and not told(several_modes, two(1.2e-6))


def test_warm_up_stays_silent_of_first_repetitions_that_are_faster(evidence, figure) -> None:
    def begun(factor: float) -> Evidence:
        return _shaped(evidence, figure, warm_up_repetitions=20, warm_up_factor=factor)

    assert told(warm_up, begun(2.0)) and not told(warm_up, begun(0.5))


def test_heavy_tail_stays_silent_of_a_maximum_alone(evidence, figure) -> None:
    shape = Shape(effective_samples=900, modes=(), p99_low_s=0.5, p99_high_s=2.0)
    assert told(heavy_tail, evidence([figure(p99_s=1.0, shape=shape)]))
    # Too few samples have no p99, however long the longest of them took.
    assert not told(heavy_tail, evidence([figure(p99_s=None, max_s=1.0, samples=50)]))


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
