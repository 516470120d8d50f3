"""Rules about what communication patterns do: right where the truth is known, silent elsewhere."""

import pytest

from leadline.analysis.findings.rules.guideline_violated import guideline_violated
from leadline.analysis.findings.rules.overlap import hidden_share
from leadline.model.description import Axis, Benchmark, Processes, Series, Term


def benchmark(name: str, *guidelines: tuple[Term, ...]) -> Benchmark:
    return Benchmark(
        name=name,
        summary="",
        axes=(
            Axis(name="bytes", kind="bytes", summary="", default="8"),
            Axis(name="way", kind="choice", summary="", default="own", choices=("own", "other")),
        ),
        processes=Processes(),
        series=(Series(name="time", definition=""),),
        api="mpi",
        start="",
        guidelines=guidelines,
    )


GATHERS = [
    benchmark(
        "family/allgather",
        (Term(benchmark="family/gather"), Term(benchmark="family/bcast", size="times processes")),
    ),
    benchmark("family/gather"),
    benchmark("family/bcast"),
]


def gathers(figure, allgather: float, **changes: object) -> list:
    """One guideline's figures at 8 B a rank on two: gather and bcast take 3 us together."""
    way = {"way": "own", **changes}
    return [
        figure(allgather, 8, benchmark="family/allgather", **way),
        figure(1e-6, 8, benchmark="family/gather", way="own"),
        figure(2e-6, 16, benchmark="family/bcast", way="own"),
        # Neither of these sizes is the other side.
        figure(1e-9, 8, benchmark="family/bcast", way="own"),
        figure(1e-9, 16, benchmark="family/gather", way="own"),
    ]


def test_a_violated_guideline_names_factor_interval_and_the_other_side(evidence, figure) -> None:
    (found,) = guideline_violated.find(evidence(gathers(figure, 6e-6), benchmarks=GATHERS))
    assert found.evidence["ratio"] == pytest.approx(2)
    assert found.evidence["ratio_low"] <= 2 <= found.evidence["ratio_high"]
    assert found.evidence["at_bytes"] == 8
    assert "family/gather and family/bcast" in found.text
    assert found.points == (0, 1, 2)


def test_a_kept_guideline_is_no_finding(evidence, figure) -> None:
    for seconds in (2.9e-6, 3.05e-6):
        whole = evidence(gathers(figure, seconds), benchmarks=GATHERS)
        assert list(guideline_violated.find(whole)) == []


def test_guideline_violated_stays_silent_of_other_ways_and_mpis(evidence, figure) -> None:
    for changes in ({"way": "other"}, {"mpi": "second"}, {"settings": {"cache": "cold"}}):
        whole = evidence(gathers(figure, 6e-6, **changes), benchmarks=GATHERS)
        assert list(guideline_violated.find(whole)) == []


def test_a_guideline_of_a_benchmark_without_sizes_names_one(evidence, figure) -> None:
    meetings = [
        benchmark("family/barrier", (Term(benchmark="family/sum", bytes=8),)),
        benchmark("family/sum"),
    ]
    figures = [
        figure(6e-6, None, benchmark="family/barrier", way="own"),
        figure(1e-6, 16, benchmark="family/sum", way="own"),
    ]
    assert list(guideline_violated.find(evidence(figures, benchmarks=meetings))) == []
    figures.append(figure(3e-6, 8, benchmark="family/sum", way="own"))
    (found,) = guideline_violated.find(evidence(figures, benchmarks=meetings))
    assert found.evidence["ratio"] == pytest.approx(2)
    assert found.points == (0, 2)


def test_the_hidden_share_stays_within_its_bounds() -> None:
    assert hidden_share(1.0, 1.0, 0.5) == 1.0
    assert hidden_share(1.0, 1.0, 9.0) == 0.0
