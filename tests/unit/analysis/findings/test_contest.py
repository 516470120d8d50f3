"""A contest over several placements names the sizes of each where it gains and where it loses."""

from leadline.analysis.findings.contest import Case, Contest, Win
from leadline.analysis.stats.comparison import Ratio
from leadline.analysis.stats.statistics import Interval


def at(size, nodes):
    return Case(size=size, nodes=nodes, processes_per_node=1)


def won(case, ratio):
    return Win(case, Ratio(ratio, Interval(ratio * 0.9, ratio * 1.1), ""), 0, 1)


def test_gains_losses_and_what_is_open_are_named_by_placement():
    cases = [at(size, nodes) for nodes in (2, 4) for size in (8, 64, 512)]
    contest = Contest(
        "ring", "library", cases,
        faster=[won(cases[0], 2.0), won(cases[1], 1.5), won(cases[3], 3.0)],
        slower=[won(cases[5], 4.0)],
    )  # fmt: skip
    text = contest.text()
    assert "(all: at 8 B to 64 B on 2x1, at 8 B on 4x1)" in text
    assert "slower in 1 of 6 cases, 4.00 times (3.60 to 4.40) at 512 B on 4x1" in text
    assert text.endswith("not clearly different at 2 of 6 cases, at 512 B on 2x1, at 64 B on 4x1")


def test_of_many_placements_a_sentence_names_four():
    cases = [at(8, nodes) for nodes in range(1, 8)]
    contest = Contest("ring", "library", cases, [won(case, 2.0) for case in cases], ())
    assert "at 8 B on 4x1 and 3 more)" in contest.text()
