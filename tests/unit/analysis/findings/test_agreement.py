"""A finding on two libraries and a comparison of them say the same of the same figures."""

import numpy as np
import pytest
from rule_cases import declared

from leadline.analysis.compare.compare import compare
from leadline.analysis.compare.matching import pairs
from leadline.analysis.findings.contest import Match, PairRatios, curves_by

LAUNCHES = 3


def sides(figure, random, factors):
    """The figures of two libraries, three launches each, at one size a factor."""
    found = {"first": [], "second": []}
    for power, factor in enumerate(factors):
        for mpi, slower in (("first", factor), ("second", 1.0)):
            seconds = 1e-6 * slower * random.lognormal(0, 0.03, LAUNCHES)
            found[mpi].append(
                figure(
                    float(np.median(seconds)),
                    2**power,
                    mpi=mpi,
                    launches=LAUNCHES,
                    launch_medians_s=tuple(seconds.tolist()),
                )
            )
    return found


@pytest.mark.parametrize("seed", range(10))
def test_a_finding_and_compare_agree_on_three_launches(evidence, figure, seed) -> None:
    factors = [3.0, 1.0, 2.5, 1.0, 0.4, 1.0]
    found = sides(figure, np.random.default_rng(seed), factors)
    whole = evidence([*found["first"], *found["second"]])
    (curves,) = curves_by(whole, range(12), lambda point: point.mpi, lambda point: point.benchmark)
    match = Match(curves, "first")
    (contest,) = match.clear(PairRatios(whole, match.pairs))
    compared = compare("first", found["first"], "second", found["second"])
    verdicts = {one.base.bytes: one.verdict for one in compared.figures}
    # Clear at the three sizes that differ, by both, and nowhere the contrary of each other.
    assert {1, 4} <= {win.size for win in contest.faster}
    assert 16 in {win.size for win in contest.slower}
    assert (verdicts[1], verdicts[4], verdicts[16]) == ("faster", "faster", "slower")
    for wins, verdict in ((contest.faster, "faster"), (contest.slower, "slower")):
        assert {verdicts[win.size] for win in wins} <= {verdict, "cannot tell"}


def test_choices_that_are_different_tasks_are_no_pairs(evidence, figure) -> None:
    whole = evidence([figure(), figure(5e-7, way="clever")])
    other = declared(whole, ways=False)
    assert list(pairs(whole.run, whole.points)) and not list(pairs(other.run, whole.points))
