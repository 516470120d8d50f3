"""Rules about limits, neighbours, steadiness, tables and wrong answers."""

import msgspec
import numpy as np
import pytest

from leadline.analysis.findings.curve_causes import halves
from leadline.analysis.findings.limits import bounds_of
from leadline.analysis.findings.rules.overlap import overlap
from leadline.analysis.findings.rules.settings import neighbours_disturb
from leadline.analysis.findings.rules.sizes import best_size, larger_is_faster, split_is_faster
from leadline.analysis.findings.rules.steadiness import erratic, steadiness
from leadline.analysis.findings.rules.switches import protocol_switch, rate_falls
from leadline.analysis.findings.rules.variants import variants_compared
from leadline.model.description import Axis


def smooth(size):
    return 1e-6 + size / 1e9


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
    assert "spacer=none against spacer=16" in found.text and found.advice is None
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
