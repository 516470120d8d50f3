"""What the samples show beside their median, in words."""

import pytest

from leadline.analysis.findings.rules.levels import drift, level_change, several_modes, warm_up
from leadline.model.noise import LevelChange, Mode, Shape

ONE = (Mode(at_s=1e-6, fraction=1.0),)


def _shape(**changes) -> Shape:
    return Shape(effective_samples=900, modes=changes.pop("modes", ONE), **changes)


@pytest.mark.parametrize("rule", [drift, level_change, several_modes, warm_up])
def test_clean_figures_and_imports_say_nothing(rule, evidence, figure) -> None:
    assert list(rule.find(evidence([figure(), figure(shape=_shape())]))) == []


@pytest.mark.parametrize(
    ("follow", "words"),
    [
        ("launch", "by launch"),
        ("time", "in stretches of time"),
        ("repetition", "in turn, every 4 repetitions"),
        ("chance", "at random"),
    ],
)
def test_modes_are_named_with_what_they_follow(follow, words, evidence, figure) -> None:
    two = (Mode(at_s=1e-6, fraction=0.7), Mode(at_s=1.5e-6, fraction=0.3))
    shape = _shape(
        modes=two, modes_follow=follow, modes_period=4 if follow == "repetition" else None
    )
    (found,) = several_modes.find(evidence([figure(), figure(size=16, shape=shape)]))
    assert words in found.text
    assert "times cluster at 1.00 us (70 %) and 1.50 us (30 %)" in found.text
    assert found.evidence["mode_2_s"] == 1.5e-6
    assert found.evidence["mode_2_fraction"] == 0.3
    assert found.points == (1,)
    assert ("--launches" in (found.command or "")) == (follow == "launch")


def test_modes_near_each_other_are_not_worth_a_word(evidence, figure) -> None:
    near = (Mode(at_s=1e-6, fraction=0.7), Mode(at_s=1.2e-6, fraction=0.3))
    shape = _shape(modes=near, modes_follow="chance")
    assert list(several_modes.find(evidence([figure(shape=shape)]))) == []


def test_warm_up_is_named_with_its_part(evidence, figure) -> None:
    shape = _shape(warm_up_repetitions=20, warm_up_factor=1.8)
    (found,) = warm_up.find(evidence([figure(shape=shape)]))
    assert "first 20 repetitions" in found.text
    assert "1.8x slower" in found.text
    assert found.evidence["warm_up_fraction"] == pytest.approx(20 * 3 / 1000)
    faster = _shape(warm_up_repetitions=20, warm_up_factor=0.5)
    assert list(warm_up.find(evidence([figure(shape=faster)]))) == []


@pytest.mark.parametrize("factor", [1.2, 0.8])
def test_drift_either_way(factor, evidence, figure) -> None:
    (found,) = drift.find(evidence([figure(shape=_shape(drift_factor=factor))]))
    assert found.evidence == {"drift_factor": factor}
    assert ("1.2x slower" if factor > 1 else "1.2x faster") in found.text
    assert list(drift.find(evidence([figure(shape=_shape(drift_factor=1.05))]))) == []


def test_the_largest_change_of_level_is_named(evidence, figure) -> None:
    changes = (
        LevelChange(launch=1, repetition=300, factor=1.5),
        LevelChange(launch=2, repetition=None, factor=0.5),
    )
    (found,) = level_change.find(evidence([figure(shape=_shape(changes=changes))]))
    assert "became 2.0x faster from launch 3 on" in found.text
    assert "2 changes" in found.text
    assert found.evidence == {"factor": 0.5, "launch": 2.0, "changes": 2.0}
    (found,) = level_change.find(evidence([figure(shape=_shape(changes=changes[:1]))]))
    assert "1.5x slower from repetition 300 of launch 2 on" in found.text


def test_a_huge_change_has_no_more_digits_than_it_needs(evidence, figure) -> None:
    changes = (LevelChange(launch=0, repetition=9, factor=0.000104),)
    (found,) = level_change.find(evidence([figure(shape=_shape(changes=changes))]))
    assert "became 9620x faster from repetition 9 of launch 1 on" in found.text
