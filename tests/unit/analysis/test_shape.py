"""What samples show, from samples that were made to show it."""

import numpy as np
import pytest

from leadline.analysis.results.shape import shape_of
from leadline.model.noise import Shape


def _shape(launches: list[np.ndarray]) -> Shape:
    ordered = np.sort(np.concatenate(launches))
    return shape_of(launches, list(range(len(launches))), ordered, len(ordered))


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(1)


def test_clean_samples_show_nothing(random) -> None:
    found = [_shape(list(random.lognormal(0, 0.05, (4, 1000)))) for _ in range(30)]
    plain = [
        len(one.modes) == 1
        and one.modes_follow is None
        and one.warm_up_factor is None
        and not one.changes
        for one in found
    ]
    assert sum(plain) >= 28
    assert all(one.modes[0].at_s == pytest.approx(1, abs=0.01) for one in found)


@pytest.mark.parametrize("follow", ["launch", "time", "repetition", "chance"])
def test_modes_follow_what_they_were_made_to_follow(follow: str, random) -> None:
    launch, repetition = np.indices((6, 1200))
    slow = {
        "launch": launch % 3 == 0,
        "time": repetition // 300 % 2 == 1,
        "repetition": repetition % 5 == 2,
        "chance": random.random((6, 1200)) < 0.3,
    }[follow]
    found = _shape(list(np.where(slow, 1.5, 1.0) * random.lognormal(0, 0.03, slow.shape)))
    assert [mode.at_s for mode in found.modes] == pytest.approx([1.0, 1.5], rel=0.02)
    assert found.modes[1].fraction == pytest.approx(slow.mean(), abs=0.01)
    assert found.modes_follow == follow
    assert found.modes_period == (5 if follow == "repetition" else None)


def test_warm_up_is_told_and_is_no_mode(random) -> None:
    values = random.lognormal(0, 0.03, (3, 2000))
    values[:, :40] *= 1.5
    found = _shape(list(values))
    assert len(found.modes) == 1
    assert found.warm_up_repetitions == pytest.approx(40, abs=5)
    assert found.warm_up_factor == pytest.approx(1.5, rel=0.05)


def test_changes_are_told(random) -> None:
    values = random.lognormal(0, 0.05, (3, 2000))
    values[1, 1000:] *= 1.4
    (change,) = _shape(list(values)).changes
    assert (change.launch, change.factor) == (1, pytest.approx(1.4, rel=0.03))
    assert change.repetition == pytest.approx(1000, abs=40)


def test_launches_that_change_from_one_on() -> None:
    random = np.random.default_rng(2)
    levels = np.where(np.arange(40) < 24, 1.0, 1.3) * random.lognormal(0, 0.01, 40)
    found = _shape([level * random.lognormal(0, 0.02, 50) for level in levels])
    assert [(one.launch, one.repetition) for one in found.changes] == [(24, None)]


def test_few_samples_show_only_what_they_can(random) -> None:
    found = _shape([random.lognormal(0, 0.1, 3)])
    assert len(found.modes) == 1
    assert found.effective_samples == 3
