"""Rules about knobs: whether the library took them, and what they gained."""

import pytest

from leadline.analysis.findings.kinds import RULES
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


@pytest.mark.parametrize(
    ("mpi", "said"),
    [
        ("openmpi-4.1.4", "Leave single_copy=off alone in programs that call MPI_Win_create, "),
        ("openmpi-5.0.11", "Set single_copy=off where this matters, if the plan conformance "),
    ],
)
def test_a_value_that_is_known_to_break_calls_is_not_advised(makers, mpi, said):
    figures = [
        makers.figure(seconds, 65536, mpi=mpi, knobs={"single_copy": value})
        for value, seconds in {"default": 4e-6, "off": 1e-6}.items()
    ]
    (found,) = RULES["knobs_compared"].find(makers.evidence(figures))
    assert found.advice.startswith(said)
