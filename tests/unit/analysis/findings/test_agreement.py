"""A finding on two libraries and a comparison of them say the same of the same figures."""

import numpy as np
import pytest
from rule_cases import declared

from leadline.analysis.compare.compare import compare
from leadline.analysis.compare.matching import pairs
from leadline.analysis.findings.contest import Match, PairRatios, curves_by
from leadline.model.tuning import Trial
from leadline.tune.proof import verdicts as tune_verdicts

LAUNCHES = 3


def sides(figure, random, factors, launches=LAUNCHES):
    """The figures of two libraries, so many launches each, at one size a factor."""
    found = {"first": [], "second": []}
    for power, factor in enumerate(factors):
        for mpi, slower in (("first", factor), ("second", 1.0)):
            seconds = 1e-6 * slower * random.lognormal(0, 0.03, launches)
            found[mpi].append(
                figure(
                    float(np.median(seconds)),
                    2**power,
                    mpi=mpi,
                    launches=launches,
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


FACTORS = (3.0, 1.0, 1.4, 0.7, 0.4)


@pytest.mark.parametrize("seed", range(10))
def test_a_finding_compare_and_tune_have_one_verdict(evidence, figure, seed) -> None:
    """Fifty pairs of figures, eight launches each; tune is asked in both directions."""
    found = sides(figure, np.random.default_rng(seed), FACTORS, 8)
    whole = evidence([*found["first"], *found["second"]])
    (curves,) = curves_by(
        whole, range(2 * len(FACTORS)), lambda point: point.mpi, lambda point: point.benchmark
    )
    match = Match(curves, "first")
    (contest,) = match.clear(PairRatios(whole, match.pairs))
    said = {win.size: "faster" for win in contest.faster}
    said |= {win.size: "slower" for win in contest.slower}
    compared = compare("first", found["first"], "second", found["second"])
    kept = {
        word: [each.kept for each in tune_verdicts(trials)]
        for word, trials in (
            (
                "faster",
                [trial(*pair) for pair in zip(found["first"], found["second"], strict=True)],
            ),
            (
                "slower",
                [trial(*pair) for pair in zip(found["second"], found["first"], strict=True)],
            ),
        )
    }
    for at, (factor, one) in enumerate(zip(FACTORS, compared.figures, strict=True)):
        expected = "faster" if factor > 1 else "slower" if factor < 1 else ""
        assert said.get(2**at, "") == expected
        assert (one.verdict if one.verdict in ("faster", "slower") else "") == expected
        assert [word for word in kept if kept[word][at]] == [expected] * bool(expected)


def trial(without, with_it):
    return Trial(
        collective="bcast", nodes=1, processes=2, bytes=without.bytes, choice="a",
        without_s=without.launch_medians_s, with_s=with_it.launch_medians_s,
    )  # fmt: skip


def test_choices_that_are_different_tasks_are_no_pairs(evidence, figure) -> None:
    whole = evidence([figure(), figure(5e-7, way="clever")])
    other = declared(whole, ways=False)
    assert list(pairs(whole.run, whole.points)) and not list(pairs(other.run, whole.points))
