"""Figures and ratios of made-up launches whose answers are plain."""

import json

import pytest
from comparison.cases import points
from comparison.figures import figures, findings, ratios, walls
from comparison.measure import Measurement, as_json
from comparison.output import print_comparison
from comparison.tool import Reading


def launched(contender, times_us, condition="quiet", case="ping-pong", kinds=()):
    return [
        Measurement(
            condition=condition,
            round=number,
            case=case,
            contender=contender,
            wall_s=0.5 + number,
            reading=Reading(seconds={8: time * 1e-6, 65536: 10 * time * 1e-6}, findings=kinds),
        )
        for number, time in enumerate(times_us)
    ]


def only(found, size, own=None, peer=None):
    chosen = [
        each
        for each in found
        if each.bytes == size and (own is None or (each.own, each.peer) == (own, peer))
    ]
    assert len(chosen) == 1
    return chosen[0]


def test_a_figure_is_the_median_of_the_launches():
    figure = only(figures(launched("IMB", [3.0, 1.0, 2.0]), points()), 8)
    assert (figure.median_s, figure.lowest_s) == pytest.approx((2e-6, 1e-6))
    assert figure.variation == pytest.approx(0.5)
    assert figure.wall_s == 1.5
    assert figure.launches == 3


def test_a_slow_state_of_the_machine_is_told_apart_from_steady_launches():
    figure = only(figures(launched("IMB", [1.0, 1.02, 3.0, 1.01]), points()), 8)
    assert figure.variation > 0.5
    assert figure.steady_launches == 3
    assert figure.steady_variation == pytest.approx(0.01 / 1.01, rel=1e-6)


def test_ratios_are_leadline_over_imb_and_over_its_best_run():
    measured = launched("leadline", [1.02, 1.02, 1.02]) + launched("IMB", [1.0, 1.0, 2.0, 2.0])
    ratio = only(ratios(figures(measured, points())), 65536, "leadline", "IMB")
    assert ratio.medians == pytest.approx(1.02 / 1.5)
    assert ratio.over_best == pytest.approx(1.02)
    assert ratio.variations == pytest.approx(0.0, abs=1e-9)
    assert ratio.misses == ()


@pytest.mark.parametrize(
    ("condition", "own", "misses"),
    [
        ("quiet", [1.04, 1.04], ("figure",)),
        ("quiet", [1.0, 1.0], ()),
        ("quiet", [0.8, 1.2], ("spread",)),
        ("quiet", [0.7, 0.9], ("figure", "spread")),
        # A disturbed machine has no figure to agree on, and a narrower goal of spread.
        ("disturbed", [1.5, 1.5], ()),
        ("disturbed", [0.95, 1.05], ("spread",)),
    ],
)
def test_a_missed_goal_is_named(condition, own, misses):
    peer = [1.0, 1.4]
    measured = launched("leadline", own, condition) + launched("IMB", peer, condition)
    assert only(ratios(figures(measured, points())), 8, "leadline", "IMB").misses == misses


def test_a_spread_that_imb_did_not_print_is_unknown_and_no_miss():
    measured = launched("leadline", [1.0, 1.01]) + launched("IMB", [1.0, 1.0])
    ratio = only(ratios(figures(measured, points())), 8, "leadline", "IMB")
    assert ratio.variations is None
    assert ratio.misses == ()


def test_an_interrupted_comparison_has_ratios_of_what_was_measured():
    assert ratios(figures(launched("leadline", [1.0]), points())) == []
    assert figures([], points()) == []
    assert walls([]) == []


def test_wall_times_are_of_the_sweep_alone():
    measured = launched("IMB", [1.0, 1.0, 1.0], case="ping-pong sweep") + launched("IMB", [1.0])
    assert [(each.contender, each.launches, each.wall_s) for each in walls(measured)] == [
        ("IMB", 3, 1.5)
    ]


def test_findings_are_counted_by_run_and_condition():
    measured = launched("leadline", [1.0, 1.0], kinds=("disturbed", "disturbed")) + launched(
        "leadline", [1.0], "disturbed", kinds=("busy_machine",)
    )
    assert findings(measured, "quiet") == (2, {"disturbed": 2})
    assert findings(measured, "disturbed") == (1, {"busy_machine": 1})


def test_json_holds_every_measurement_without_nan():
    text = json.dumps(as_json(launched("leadline", [1.5])), allow_nan=False)
    assert json.loads(text)[0]["reading"]["seconds"]["8"] == 1.5e-6


def test_the_tables_show_figures_and_ratios(capsys):
    measured = launched("leadline", [1.5, 1.5]) + launched("IMB", [1.0, 2.0])
    print_comparison(measured)
    shown = capsys.readouterr().out
    row = next(line for line in shown.splitlines() if "leadline   " in line and "1.50 us" in line)
    assert "0.0%" in row
    assert "figure" in next(line for line in shown.splitlines() if "1.5 " in line and "IMB" in line)
    assert "nan" not in shown
