"""Rules about knobs: whether the library took them, and what they gained."""

import pytest

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
