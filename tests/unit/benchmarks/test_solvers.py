"""The table of solvers compares rounds, not medians of different rounds."""

from comparison.solvers import PEERS, Solve, lines


def test_factors_are_of_the_same_round():
    base, fast = PEERS[0].name, "leadline fused"
    solves = []
    for slow in (1.0, 3.0, 1.0):
        solves += [Solve(base, 1, 0.5, 2.0 * slow, 11), Solve(fast, 1, 0.0, 1.0 * slow, 36)]
    heading, first, second = lines(solves)
    assert "times faster than" in heading
    assert first.split()[-4:] == ["1.00", "(1.00", "to", "1.00)"]
    assert second.split()[-4:] == ["2.00", "(2.00", "to", "2.00)"]
    assert "1.000 to 3.000" in second
    assert " 36 " in second


def test_a_solver_without_the_base_has_no_factor():
    assert lines([Solve("leadline fused", 2, 0.0, 1.0, 36)])[1].endswith("-")
