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
    assert contest.sentences("ring", "library") == (
        "ring is 1.5x to 3.0x faster than library in 3 of 6 cases (at 8 B to 64 B on 2x1, "
        "at 8 B on 4x1), most at 8 B on 4x1; 4.0x slower (3.6 to 4.4) in 1 of 6 cases, "
        "at 512 B on 4x1; unclear in 2 of 6 cases."
    )


def test_of_many_placements_a_sentence_names_four():
    cases = [at(8, nodes) for nodes in range(1, 8)]
    cases.append(at(16, 1))
    contest = Contest("ring", "library", cases, [won(case, 2.0) for case in cases[:-1]], ())
    assert "at 8 B on 4x1 and 3 more)" in contest.sentences("ring", "library")


def test_of_a_large_ratio_that_is_hardly_known_the_sure_end_is_told():
    ratio = Ratio(139.0, Interval(23.5, 427.0), "")
    contest = Contest("one", "other", [at(8, 1)], [Win(at(8, 1), ratio, 0, 1)], ())
    told = contest.sentences("one", "other")
    assert told.startswith("one is at least 24x faster than other") and "139" not in told
    assert contest.gain.times == 139.0


def test_what_all_cases_have_in_common_is_not_named():
    cases = [
        Case(40960, 1, 2, (("bytes_east_west", 0), ("calls", 1000), ("pattern", pattern)))
        for pattern in ("bunched", "send_recv", "staged")
    ]
    contest = Contest("64K", "default", cases, [won(case, 2.0) for case in cases[:2]], ())
    assert contest.sentences("64K", "default") == (
        "64K is 2.0x faster than default in 2 of 3 cases (at 40 KiB with pattern bunched, "
        "at 40 KiB with pattern send_recv), most at 40 KiB with pattern bunched; "
        "unclear in 1 of 3 cases."
    )
