"""Rules about limits, neighbours, steadiness, swings, tables and wrong answers."""

import math

import msgspec
import numpy as np
import pytest

from leadline.analysis.findings.curve_causes import halves
from leadline.analysis.findings.limits import bounds_of
from leadline.analysis.findings.rules.absent import incomplete
from leadline.analysis.findings.rules.answers import fast_but_wrong, unverified, wrong_data
from leadline.analysis.findings.rules.levels import launches_differ
from leadline.analysis.findings.rules.limits_exceeded import impossible
from leadline.analysis.findings.rules.links import link_limit
from leadline.analysis.findings.rules.overlap import overlap
from leadline.analysis.findings.rules.reported import machine_generations, reported_gains
from leadline.analysis.findings.rules.settings import libraries_compared, neighbours_disturb
from leadline.analysis.findings.rules.sizes import best_size, larger_is_faster, split_is_faster
from leadline.analysis.findings.rules.steadiness import steadiness
from leadline.analysis.findings.rules.swings import erratic, oscillation
from leadline.analysis.findings.rules.switches import protocol_switch, rate_falls
from leadline.analysis.findings.rules.variants import variants_compared
from leadline.model.description import Axis
from leadline.model.imported import Bound, Column, Import, Remark, Table


def limited(whole, value, where="node"):
    bound = Bound(quantity="bandwidth_MBps", value=value, where=where, source="maker")
    return type(whole)(run=whole.run, points=whole.points, sweeps=whole.sweeps, bounds=(bound,))


def smooth(size):
    return 1e-6 + size / 1e9


def test_a_curve_comes_near_its_limit_or_does_not(evidence, curve):
    whole = evidence(curve(smooth))
    (near,) = link_limit.find(limited(whole, 1100.0))
    assert near.severity == "fact"
    assert near.evidence["limit_fraction"] == pytest.approx(1000 / 1100, rel=0.01)
    (far,) = link_limit.find(limited(whole, 5000.0))
    assert far.severity == "notice" and far.advice
    assert not list(link_limit.find(limited(whole, 1100.0, where="network")))
    assert not list(link_limit.find(whole))


def test_a_figure_beyond_its_limit_is_impossible(evidence, curve):
    whole = limited(evidence(curve(smooth)), 500.0)
    (found,) = impossible.find(whole)
    assert found.evidence["beyond_factor"] == pytest.approx(2, rel=0.01)
    assert not list(link_limit.find(whole))


def test_both_directions_at_once_may_have_twice_the_limit(evidence, curve):
    both = [
        msgspec.structs.replace(one, bandwidth_MBps=2 * one.bandwidth_MBps) for one in curve(smooth)
    ]
    whole = limited(evidence(both), 1100.0)
    assert not list(impossible.find(whole))
    (found,) = link_limit.find(whole)
    assert found.evidence["limit_MBps"] == 2200


def test_a_machine_tells_its_links_where_several_hosts_were_used(evidence, figure):
    machine = {
        "network_interfaces": [
            {"name": "e0", "state": "up", "speed_bit_per_s": 10**9},
            {"name": "e1", "state": "down", "speed_bit_per_s": 10**11},
        ],
        "infiniband_devices": [{"device": "m0", "state": "4: ACTIVE", "rate": "100 Gb/sec (4X)"}],
    }
    there = evidence([figure()], machine=machine, plan={"hosts": ("a", "b")})
    (bound,) = bounds_of(there.run)
    assert (bound.value, bound.where, bound.source) == (12_500, "network", "link m0")
    assert bounds_of(evidence([figure()], machine=machine).run) == ()
    assert bounds_of(evidence([figure()], machine=machine, plan={"hosts": ("lab",)}).run) == ()


@pytest.fixture
def beside(evidence, curve):
    """Curves of one machine or two with and without neighbours: seconds by size."""
    axes = (
        Axis(name="bytes", kind="bytes", summary="", default=""),
        Axis(name="spacer", kind="choice", summary="", default="none", choices=("none", "16")),
        Axis(name="way", kind="choice", summary="", default="plain", choices=("plain", "clever")),
    )

    def make(*curves):
        figures = []
        for way, spacer, rate in curves:
            made = curve(lambda size, rate=rate: 1e-6 + size / rate)
            figures += [
                msgspec.structs.replace(
                    one, axes={"bytes": one.bytes, "way": way, "spacer": spacer}
                )
                for one in made
            ]
        whole = evidence(figures)
        whole.run.benchmarks = [msgspec.structs.replace(whole.run.benchmarks[0], axes=axes)]
        return whole

    return make


def test_what_runs_beside_it_takes_its_part(beside):
    whole = beside(("plain", "none", 1e9), ("plain", "16", 1.5e9))
    (found,) = neighbours_disturb.find(whole)
    assert found.evidence["lost_fraction"] == pytest.approx(1 / 3, rel=0.02)
    assert "Keep neighbours off as with spacer=16" in found.advice
    # One choice of the program's own is told as such, not what ran beside it.
    assert not list(variants_compared.find(whole))
    assert not list(neighbours_disturb.find(beside(("plain", "none", 1e9), ("plain", "16", 1e9))))


def test_what_depends_on_its_neighbours_is_less_steady(beside):
    whole = beside(
        ("plain", "none", 1e9), ("plain", "16", 1.005e9),
        ("clever", "none", 2e9), ("clever", "16", 2.6e9),
    )  # fmt: skip
    (found,) = steadiness.find(whole)
    assert "(clever)" in found.text.partition("less steady")[0]
    assert found.evidence["spread_fraction"] > 0.25 > found.evidence["steady_spread_fraction"]
    both = beside(("plain", "none", 1e9), ("plain", "16", 1.3e9), ("clever", "none", 2e9),
                  ("clever", "16", 2.6e9))  # fmt: skip
    assert not list(steadiness.find(both))


def swinging(amplitude):
    def seconds(size):
        power = round(math.log2(size)) if size else 0
        return smooth(size) * (1 + amplitude * (-1) ** power)

    return seconds


def test_times_that_swing_from_size_to_size(evidence, curve):
    (found,) = oscillation.find(evidence(curve(swinging(0.2))))
    assert found.evidence["turns"] > 15
    # 1.2 against 0.8 is half more; the bend of the curve itself adds to it.
    assert 0.5 < found.evidence["largest_fraction"] < 0.6
    assert not list(oscillation.find(evidence(curve(swinging(0.02)))))
    assert not list(oscillation.find(evidence(curve(smooth))))


def test_scatter_without_intervals_is_seldom_a_swing(evidence, curve):
    random = np.random.default_rng(2)
    found = 0
    for _ in range(100):
        noisy = curve(
            lambda size: smooth(size) * random.lognormal(0, 0.05),
            ci95_low_s=None,
            ci95_high_s=None,
        )
        found += bool(list(oscillation.find(evidence(noisy))))
    assert found <= 10


def tables(whole, *rows, roles):
    table = Table(
        name="t", title="Things", columns=tuple(Column(name=r, role=r) for r in roles), rows=rows
    )
    imported = Import(program="", files=(), tables=(table,))
    run = msgspec.structs.replace(whole.run, imported=imported)
    return type(whole)(run=run, points=(), sweeps=())


def test_generations_double_at_their_pace(evidence):
    rows = [(1990.0 + 2 * n, 100.0 * 2**n, 10.0) for n in range(5)]
    (found,) = machine_generations.find(
        tables(evidence([]), *rows, roles=("year", "peak", "processors"))
    )
    assert found.evidence["peak_doubling_months"] == pytest.approx(24)
    assert found.evidence["processors_yearly_factor"] == pytest.approx(1)
    assert "processors_doubling_months" not in found.evidence
    assert not list(
        machine_generations.find(tables(evidence([]), rows[0], roles=("year", "a", "b")))
    )


def test_reported_gains_by_change(evidence):
    rows = [("new", "sum", 5.0, 9.0), ("new", "all", 12.0, None), ("other", "sum", 50.0, 50.0)]
    roles = ("change", "operation", "gain_low", "gain_high")
    first, second = reported_gains.find(tables(evidence([]), *rows, roles=roles))
    assert "other gained, as reported: 50 % in sum" in first.text
    assert second.evidence["least_gain_percent"] == 5 and "12 % or more in all" in second.text
    assert not list(reported_gains.find(evidence([])))


def test_a_wrong_answer_that_is_the_fastest(evidence, figure):
    pair = [figure(1e-6), figure(5e-7, way="clever", verified=False)]
    (found,) = fast_but_wrong.find(evidence(pair))
    assert found.severity == "problem" and found.points == (1, 0)
    assert found.evidence["ratio"] == pytest.approx(2)
    # Nobody recommends it either.
    assert not list(variants_compared.find(evidence(pair)))


def test_a_wrong_answer_that_is_slow_is_not_told_again(evidence, figure):
    pair = [figure(1e-6), figure(2e-6, way="clever", verified=False)]
    assert not list(fast_but_wrong.find(evidence(pair)))
    assert not list(fast_but_wrong.find(evidence([figure(verified=False)])))


def imported(whole, *remarks):
    run = msgspec.structs.replace(
        whole.run, launches=[], imported=Import(program="x", files=("f",), remarks=remarks)
    )
    return type(whole)(run=run, points=whole.points, sweeps=whole.sweeps)


def test_what_could_not_be_read_is_named(evidence, figure):
    torn = imported(evidence([figure()]), Remark(file="f.txt", line=7, text="cut"))
    (found,) = incomplete.find(torn)
    assert found.severity == "notice" and "f.txt:7: cut" in found.text
    assert found.evidence["first_line"] == 7
    assert list(incomplete.find(imported(evidence([figure()])))) == []


def test_data_that_another_program_found_wrong_are_wrong(evidence, figure):
    whole = imported(evidence([figure(), figure(2e-6, 16, verified=False)]))
    (found,) = wrong_data.find(whole)
    assert found.severity == "problem" and found.points == (1,)
    assert list(unverified.find(whole)) == []


def test_files_that_differ_need_to_differ_by_more(evidence, figure):
    def files(*seconds):
        point = figure(1e-6, launch_medians_s=seconds, samples=0, within_launch_precision=None)
        return imported(evidence([point]))

    assert not list(launches_differ.find(files(1e-6, 1.1e-6, 1.05e-6)))
    (found,) = launches_differ.find(files(1e-6, 1.6e-6, 1.1e-6))
    assert "steady within" not in found.text and found.command is None


def test_libraries_are_compared_as_they_come(evidence, figure):
    figures = [
        figure(seconds, mpi=mpi, knobs={"limit": limit})
        for mpi, seconds in (("first", 1e-6), ("second", 2e-6))
        for limit in ("default", "16K")
    ]
    (found,) = libraries_compared.find(evidence(figures))
    assert "limit=default" in found.text
    (other,) = libraries_compared.find(
        evidence([one for one in figures if one.knobs["limit"] == "16K"])
    )
    assert other.evidence["slower_ratio"] == pytest.approx(2)


def test_curves_that_fall_alike_are_told_once(evidence, curve):
    def falling(factor):
        return lambda size: smooth(size) + max(0, size - 2**19) / factor

    curves = [*curve(falling(5e8)), *curve(falling(3e8), way="clever")]
    (found,) = rate_falls.find(evidence(curves))
    assert found.evidence["curves"] == 2 and "family/thing (clever) falls below" in found.text
    assert 2**19 < found.evidence["falls_from_bytes"] <= 2**21
    # One cause: pieces of the best size, not halves.
    for rule in (split_is_faster, protocol_switch):
        assert list(rule.find(evidence(curves))) == []


def single(figures):
    """The same figures as numbers of which nobody knows the interval."""
    return [
        msgspec.structs.replace(
            one, ci95_low_s=None, ci95_high_s=None, launch_medians_s=(one.median_s,), launches=1
        )
        for one in figures
    ]


def test_of_a_curve_that_jumps_nothing_is_told(evidence, curve):
    random = np.random.default_rng(4)
    times = {2**p: smooth(2**p) * random.lognormal(0, 0.8) for p in range(23)}
    whole = evidence(single(curve(times.__getitem__)))
    (found,) = erratic.find(whole)
    assert found.evidence["jumping_fraction"] > 0.15
    for rule in (best_size, protocol_switch, rate_falls, larger_is_faster, split_is_faster):
        assert list(rule.find(whole)) == []
    # With intervals the curve is what it is.
    assert list(erratic.find(evidence(curve(times.__getitem__)))) == []


def test_steps_do_not_make_a_curve_erratic(evidence, curve):
    def stepped(size):
        return smooth(size) * (1 + (size >= 64) + (size >= 8192) * 2)

    whole = evidence(single(curve(stepped)))
    assert list(erratic.find(whole)) == []
    assert len(list(protocol_switch.find(whole))) == 2


def test_one_single_number_that_juts_out_was_disturbed(evidence, curve):
    def jutting(size):
        return smooth(size) * (4 if size == 4096 else 1)

    whole = evidence(single(curve(jutting)))
    for rule in (larger_is_faster, split_is_faster, protocol_switch):
        assert list(rule.find(whole)) == []
    # With intervals it is so.
    (sweep,) = (known := evidence(curve(jutting))).sweeps
    assert list(larger_is_faster.find(known)) and list(halves(known, sweep))


def test_what_a_file_does_not_say_is_no_damage(evidence, figure):
    whole = imported(evidence([figure()]), Remark(file="f.txt", line=0, text="no nodes"))
    (found,) = incomplete.find(whole)
    assert found.severity == "fact" and found.text == "f.txt: no nodes."


def test_overlap_of_single_numbers_has_no_interval(evidence, figure):
    times = {"communication": 2e-6, "computation": 3e-6, "together": 4e-6}
    figures = [figure(seconds, series=name) for name, seconds in times.items()]
    figures[-1] = msgspec.structs.replace(figures[-1], launch_medians_s=(3.8e-6, 4.0e-6, 4.2e-6))
    (known,) = overlap.find(evidence(figures))
    assert "50 % (" in known.text and "no interval" not in known.text
    (unknown,) = overlap.find(evidence(single(figures)))
    assert "hides 50 % of the communication at 8 B." in unknown.text


def test_neighbours_disturb_stays_silent_of_the_programs_own_choice(beside):
    whole = beside(("plain", "none", 1e9), ("clever", "none", 2e9))
    assert not list(neighbours_disturb.find(whole))


def test_steadiness_stays_silent_of_different_tasks(beside):
    curves = (("plain", "none", 1e9), ("plain", "16", 1.005e9),
              ("clever", "none", 2e9), ("clever", "16", 2.6e9))  # fmt: skip
    whole = beside(*curves)
    assert list(steadiness.find(whole))
    tasks = beside(*curves)
    (described,) = tasks.run.benchmarks
    axes = tuple(msgspec.structs.replace(one, ways=one.name != "way") for one in described.axes)
    tasks.run.benchmarks = [msgspec.structs.replace(described, axes=axes)]
    assert not list(steadiness.find(tasks))


def test_reported_gains_stays_silent_of_a_change_without_a_number(evidence):
    roles = ("change", "operation", "gain_low", "gain_high")
    rows = [("new", "sum", None, 900.0), ("", "sum", 5.0, 9.0)]
    assert not list(reported_gains.find(tables(evidence([]), *rows, roles=roles)))


def test_machine_generations_stays_silent_of_machines_of_one_year(evidence):
    rows = [(1990.0, 100.0 * 2**n, 10.0) for n in range(5)]
    roles = ("year", "peak", "processors")
    assert not list(machine_generations.find(tables(evidence([]), *rows, roles=roles)))
