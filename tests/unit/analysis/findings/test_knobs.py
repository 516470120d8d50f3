"""Rules about knobs: whether the library took them, and what they gained."""

import msgspec
import pytest

from leadline.analysis.findings.rules.settings import knob_not_taken, knobs_compared
from leadline.measure.knobs.values import same_value


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("16K", "16384", True),
        ("16385", "16K", False),
        ("1", "true", True),
        ("off", "false", True),
        ("0", "true", False),
        ("Ring", "ring", True),
        ("0.5", "5e-1", True),
        ("", "0", False),
    ],
)
def test_values_are_the_same_however_they_are_written(one, other, same) -> None:
    assert same_value(one, other) is same


def asked(evidence, figure, controls: dict[str, str], **launch: object):
    point = figure(knobs={"limit": "16K"})
    said = {
        "library": "Some MPI 1.0",
        "knobs": {"limit": "16K"},
        "asked_controls": {"SOME_LIMIT": "16K"},
        "controls": controls,
        **launch,
    }
    return evidence([figure(knobs={"limit": "default"}), point], launch=said)


@pytest.mark.parametrize(
    ("controls", "words"),
    [({"SOME_LIMIT": "8192"}, "SOME_LIMIT is 8192, not 16K"), ({}, "SOME_LIMIT is unknown")],
)
def test_a_knob_that_was_not_taken_is_a_problem(evidence, figure, controls, words) -> None:
    (found,) = knob_not_taken.find(asked(evidence, figure, controls))
    assert found.severity == "problem"
    assert found.text.startswith("first ignored limit=16K: ")
    assert found.command == "leadline knobs --mpi first SOME_LIMIT"
    assert words in found.text and "3 launches" in found.text
    assert found.points == (1,)


def test_a_knob_that_was_taken_is_no_finding(evidence, figure) -> None:
    assert list(knob_not_taken.find(asked(evidence, figure, {"SOME_LIMIT": "16384"}))) == []


def test_knob_not_taken_stays_silent_of_a_launch_that_told_nothing(evidence, figure) -> None:
    for silent in ({"library": ""}, {"api": "shmem"}):
        assert list(knob_not_taken.find(asked(evidence, figure, {}, **silent))) == []


def settings(figure, **seconds: float) -> list:
    return [
        figure(time * factor, size, knobs={"limit": value})
        for value, time in seconds.items()
        for size, factor in ((8, 1.0), (16384, 4.0 if value == "default" else 1.0))
    ]


def test_each_value_is_set_against_the_default(evidence, figure) -> None:
    found = list(knobs_compared.find(evidence(settings(figure, default=1e-6, big=1e-6, slow=2e-6))))
    assert [one.severity for one in found] == ["notice", "notice"]
    big, slow = found
    assert "limit=big is 4.0x faster than limit=default at 16 KiB" in big.text
    assert big.text.endswith("; unclear at 8 B.")
    assert big.gain.times == pytest.approx(4.0)
    assert big.evidence["faster_ratio_low"] <= 4 <= big.evidence["faster_ratio_high"]
    assert "--knob limit=default,big" in (big.command or "")
    assert "2.0x faster" in slow.text and "at 16 KiB; 2.0x slower" in slow.text


def test_without_default_the_first_value_is_the_base(evidence, figure) -> None:
    (found,) = knobs_compared.find(evidence(settings(figure, small=1e-6, big=2e-6)))
    assert "limit=small is 2.0x faster" in found.text and "than limit=big" in found.text
    assert found.severity == "fact" and found.advice is None and found.gain is None


def test_one_launch_of_each_is_no_comparison(evidence, figure) -> None:
    points = [
        msgspec.structs.replace(point, launches=1, launch_medians_s=(point.median_s,))
        for point in settings(figure, default=1e-6, big=3e-6)
    ]
    assert list(knobs_compared.find(evidence(points))) == []


def test_equal_values_are_no_finding(evidence, figure) -> None:
    points = [figure(1e-6, 8, knobs={"limit": value}) for value in ("default", "big")]
    assert list(knobs_compared.find(evidence(points))) == []
