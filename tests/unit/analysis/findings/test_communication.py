"""Rules about what communication patterns do: right where the truth is known, silent elsewhere."""

import dataclasses

import msgspec
import pytest

from leadline.analysis.findings.rules.absent import not_available
from leadline.analysis.findings.rules.guideline_violated import guideline_violated
from leadline.analysis.findings.rules.links import link_shared
from leadline.analysis.findings.rules.overlap import hidden_share, overlap
from leadline.analysis.findings.rules.sizes import larger_is_faster, split_is_faster
from leadline.analysis.findings.rules.switches import protocol_switch
from leadline.model.description import Axis, Benchmark, Processes, Series, Term
from leadline.model.run import Skip


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
        (
            Term(benchmark="family/gather"),
            Term(benchmark="family/bcast", size="times processes"),
        ),
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


def test_a_larger_message_that_is_faster_is_named_with_the_size_to_pad_to(evidence, curve) -> None:
    def dented(size: int) -> float:
        return 1e-6 + size / 1e10 + (5e-6 if 2048 <= size < 8192 else 0)

    (found,) = larger_is_faster.find(evidence(curve(dented)))
    assert (found.evidence["at_bytes"], found.evidence["faster_at_bytes"]) == (4096, 8192)
    assert found.evidence["ratio"] == pytest.approx(dented(4096) / dented(8192), rel=0.01)
    assert "too slow at 2 KiB to 4 KiB: 6.41 us at 4 KiB but 1.82 us at 8 KiB." in found.text
    # The edges of the slow sizes are no switches of their own, nor sizes to split.
    for rule in (protocol_switch, split_is_faster):
        assert list(rule.find(evidence(curve(dented)))) == []
    assert list(larger_is_faster.find(evidence(curve(lambda n: 1e-6 + n / 1e10)))) == []


def test_two_halves_that_beat_the_whole_are_named(evidence, curve) -> None:
    def stepped(size: int) -> float:
        return 1e-6 + size / 1e10 + (6e-6 if size == 65536 else 0)

    (found,) = split_is_faster.find(evidence(curve(stepped)))
    assert "two messages of 32 KiB are 1.6x faster" in found.text
    assert found.gain.times == found.evidence["ratio"]
    assert found.evidence["at_bytes"] == 65536
    assert found.evidence["ratio"] == pytest.approx(stepped(65536) / (2 * stepped(32768)), rel=0.01)
    assert list(split_is_faster.find(evidence(curve(lambda n: 1e-6 + n / 1e10)))) == []


def pairs(figure, number: int, seconds: float, **changes: object):
    return figure(
        seconds, 65536, axes={"pairs": number}, metrics={"pairs": float(number)}, **changes
    )


@pytest.mark.parametrize(
    ("together", "severity", "words"),
    [
        (1.0e-5, "fact", "each pair has its own link"),
        (4.0e-5, "notice", "the pairs share a link"),
        (2.0e-5, "notice", "the pairs share a link"),
    ],
)
def test_pairs_tell_a_crossbar_from_a_shared_link(
    evidence, figure, together, severity, words
) -> None:
    whole = evidence([pairs(figure, 1, 1e-5), pairs(figure, 4, together)])
    (found,) = link_shared.find(whole)
    assert found.severity == severity and words in found.text
    assert found.evidence["slowdown_ratio"] == pytest.approx(together / 1e-5)
    assert found.evidence["links"] == pytest.approx(4e-5 / together)
    assert found.evidence["links_low"] <= found.evidence["links"] <= found.evidence["links_high"]


def test_pairs_that_scatter_leave_it_open(evidence, figure) -> None:
    scattered = pairs(figure, 2, 1.3e-5, launch_medians_s=(0.8e-5, 1.3e-5, 2.5e-5))
    (found,) = link_shared.find(evidence([pairs(figure, 1, 1e-5), scattered]))
    assert found.severity == "fact" and "unclear whether" in found.text


def test_link_shared_stays_silent_without_one_pair_alone(evidence, figure) -> None:
    assert list(link_shared.find(evidence([pairs(figure, 2, 1e-5)]))) == []


def overlapped(figure, together: float, size: int = 8) -> list:
    return [
        figure(1e-5, size, series="communication"),
        figure(1e-5, size, series="computation"),
        figure(together, size, series="together"),
    ]


@pytest.mark.parametrize(
    ("together", "share", "severity"),
    [(1e-5, 1.0, "fact"), (1.5e-5, 0.5, "fact"), (2e-5, 0.0, "notice"), (2.5e-5, 0.0, "notice")],
)
def test_overlap_is_what_the_computation_hides(evidence, figure, together, share, severity) -> None:
    (found,) = overlap.find(evidence(overlapped(figure, together)))
    assert found.evidence["most_hidden_fraction"] == pytest.approx(share, abs=0.01)
    assert found.severity == severity
    assert ("MPI_Test" in (found.advice or "")) == (severity == "notice")


def test_overlap_names_the_sizes_with_most_and_least(evidence, figure) -> None:
    (found,) = overlap.find(
        evidence([*overlapped(figure, 1e-5, 8), *overlapped(figure, 2e-5, 65536)])
    )
    assert "of the communication at 8 B and 0 %" in found.text and "at 64 KiB" in found.text


def test_the_hidden_share_stays_within_its_bounds() -> None:
    assert hidden_share(1.0, 1.0, 0.5) == 1.0
    assert hidden_share(1.0, 1.0, 9.0) == 0.0


def test_overlap_stays_silent_of_series_without_the_others(evidence, figure) -> None:
    assert list(overlap.find(evidence([figure(), figure(1e-5, 8, series="together")]))) == []


def test_points_left_out_are_told_once_a_reason(evidence, figure) -> None:
    whole = evidence([figure(), figure(1e-6, 16)])
    assert list(not_available.find(whole)) == []
    skips = tuple(Skip(point=index, reason="there are too few ranks") for index in (0, 1))
    launches = [msgspec.structs.replace(one, skipped=skips) for one in whole.run.launches]
    run = msgspec.structs.replace(whole.run, launches=launches)
    (found,) = not_available.find(dataclasses.replace(whole, run=run))
    assert "2 points not measured, because there are too few ranks." in found.text
    assert found.evidence == {"points_skipped": 2.0}
