"""Choices of one run are judged all together: few false findings, and clear ones told."""

import msgspec
import numpy as np
import pytest

from leadline.analysis.findings import contest as module
from leadline.analysis.findings.conclude import findings, judge_pairs
from leadline.analysis.findings.contest import PairRatios, matches_over, ways
from leadline.analysis.stats import rivals as stats

SIZES, RUNS = 20, 60


def pair_of_curves(figure, random, factors):
    """Return 20 sizes of two ways, three launches each, one longer by its factor."""
    found = []
    for way in ("plain", "other"):
        for power in range(SIZES):
            factor = factors.get(power, 1.0) if way == "other" else 1.0
            seconds = factor * np.exp(0.06 * random.normal(size=3)) * 1e-6
            found.append(
                figure(
                    float(np.median(seconds)), 2**power, way=way,
                    launch_medians_s=tuple(seconds.tolist()),
                )
            )  # fmt: skip
    return found


def differing(whole):
    """The contests of a run in which either side is faster."""
    (benchmark,) = whole.run.benchmarks
    ratios = judge_pairs(whole)
    return [
        contest
        for axis, indices in ways(whole, benchmark)
        for match in matches_over(whole, axis, indices)
        for contest in match.clear(ratios)
    ]


def test_alike_choices_are_called_different_in_one_run_of_twenty_at_most(evidence, figure):
    random = np.random.default_rng(5)
    alarms = sum(bool(differing(evidence(pair_of_curves(figure, random, {})))) for _ in range(RUNS))
    # Two standard errors above 5 %.
    assert alarms / RUNS <= 0.11


def test_three_launches_tell_a_clear_difference(evidence, figure):
    random = np.random.default_rng(6)
    found = [differing(evidence(pair_of_curves(figure, random, {4: 2.0}))) for _ in range(RUNS)]
    told = [one for each in found for one in each if one.numbers().get("slower_at_bytes") == 16.0]
    assert len(told) / RUNS >= 0.9


def test_no_pair_is_judged_beside_the_others(evidence, figure):
    """A pair asked for late would widen the family of those after it, and not of those before."""
    random = np.random.default_rng(7)
    whole = evidence(pair_of_curves(figure, random, {4: 2.0}))
    known = [(index, SIZES + index) for index in range(10)]
    ratios = PairRatios(whole, known)
    before = [ratios.ratio(*pair) for pair in known]
    with pytest.raises(KeyError):
        ratios.ratio(SIZES - 1, 2 * SIZES - 1)
    assert [ratios.ratio(*pair) for pair in known] == before
    assert len(ratios.judged) == len(known)


def test_what_findings_compare_is_what_was_judged(evidence, figure, monkeypatch):
    """All rules get one set of ratios: of every pair that any of them compares."""
    random = np.random.default_rng(8)
    figures = pair_of_curves(figure, random, {4: 2.0})
    whole = evidence([*figures, *(msgspec.structs.replace(one, mpi="second") for one in figures)])
    families = []

    def counted(pairs, looks):
        families.append(len(pairs))
        return stats.ratios(pairs, looks)

    monkeypatch.setattr(module, "ratios", counted)
    kinds = {one.kind for one in findings(whole)}
    (family,) = families
    assert "variants_compared" in kinds and family == len(judge_pairs(whole).judged)
