"""Choices of one run are judged all together: few false findings, and clear ones told."""

import numpy as np

from leadline.analysis.findings.contest import contests_over, ways

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
    return [
        contest
        for axis, indices in ways(whole, benchmark)
        for found in contests_over(whole, axis, indices)
        for contest in found
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
