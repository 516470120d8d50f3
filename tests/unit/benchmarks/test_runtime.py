"""The table of programs with and without the runtime: its arithmetic, without any program."""

import doctest
import math

import pytest
from comparison import runtime
from comparison.imb import parse_tables
from comparison.preloaded import parse_lines
from comparison.runtime import Launch, bound, gains, lines, passed_through_ns, summaries, traffic

from leadline.core.errors import UserError

LARGE = 1 << 20


def launches(gain, program="c", size=8, collective="allreduce", rounds=5, more=None):
    """Rounds whose machine is ever slower; the ratio within each round is `gain`."""
    for number in range(rounds):
        slow = 1e-6 * (1 + number)
        for side, factor in (("off", gain), ("on", 1.0)):
            yield Launch(
                "m", program, side, number, {(collective, size): slow * factor, **(more or {})}
            )


def test_examples():
    assert doctest.testmod(runtime) == (0, 1)


def test_ratios_are_taken_round_by_round_and_summed_up_by_geometric_mean():
    both = [*launches(2.0, size=8), *launches(8.0, size=16)]
    merged = [
        Launch("m", "c", one.runtime, one.round, {**one.seconds, **two.seconds})
        for one, two in zip(both[:10], both[10:], strict=True)
    ]
    found = gains(merged)
    assert [round(each.ratio, 9) for each in found] == [2.0, 8.0]
    assert all(each.low == pytest.approx(each.ratio) for each in found)
    assert found[0].library_s == pytest.approx(6e-6)
    [summary] = summaries(found)
    assert (summary.mean, summary.least) == (pytest.approx(4.0), pytest.approx(2.0))
    assert summary.least_bytes == 8
    assert len(lines(merged, by_size=True)) == 6


def test_a_round_that_lacks_a_side_does_not_count():
    some = [each for each in launches(2.0) if (each.round, each.runtime) != (4, "on")]
    assert gains(some)[0].library_s == pytest.approx(2 * 2.5e-6)
    assert gains([each for each in some if each.runtime == "on"]) == []


def test_the_bound_counts_what_must_be_read_and_written():
    # Two ranks copy n bytes each: 4 n read and written in one copy's time.
    assert [traffic(name, 100) for name in ("bcast", "reduce", "allreduce")] == [200, 300, 500]
    assert [traffic(name, 100) for name in ("allgather", "allgatherv", "alltoall")] == [800] * 3
    assert traffic("reduce_scatter_block", 100) == traffic("reduce_scatter", 100) == 600
    assert (traffic("scan", 100), traffic("exscan", 100)) == (400, 200)
    assert [traffic(name, 100) for name in ("gather", "gatherv", "scatter")] == [400] * 3
    assert (traffic("scatterv", 100), traffic("alltoallv", 100)) == (400, 800)
    assert traffic("barrier", 0) is None and bound("barrier", 0, 1.0) is None
    assert bound("bcast", LARGE, 2e-4) == pytest.approx(1e-4)
    assert bound("allgather", LARGE, 2e-4) == pytest.approx(4e-4)
    [found] = gains([*launches(2.0, size=LARGE, collective="bcast", more={("copy", LARGE): 3e-6})])
    assert found.of_bound == pytest.approx(0.5)
    assert summaries([found])[0].of_bound == (pytest.approx(0.5), pytest.approx(0.5))


def test_a_call_that_is_left_alone_is_told_in_nanoseconds():
    told = [
        Launch("m", "c", side, number, {("self", 8): seconds + number * 1e-9})
        for number in range(3)
        for side, seconds in (("on", 50e-9), ("off", 20e-9))
    ]
    [(mpi, (added, whole))] = passed_through_ns(told).items()
    assert mpi == "m" and math.isclose(added, 30) and math.isclose(whole, 21)
    assert "30 ns more than 21" in lines(told, by_size=False)[-1]


def test_what_a_program_prints_is_read_and_the_rest_refused():
    assert parse_lines("bcast 8 1.5e-06\nbarrier 0 2.0e-07\n") == {
        ("bcast", 8): 1.5e-6,
        ("barrier", 0): 2e-7,
    }
    with pytest.raises(UserError, match="bcast 8"):
        parse_lines("bcast 8\n")


def test_imbs_tables_of_several_benchmarks_and_of_barrier(data):
    barrier = (
        "# Benchmarking Barrier \n# #processes = 2 \n#------\n"
        " #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"
        "         1000         0.55         0.57         0.56\n\n"
    )
    text = data("imb_allreduce.txt").replace("# All processes", barrier + "# All processes")
    tables = parse_tables(text, ["Allreduce", "Barrier"], "t_avg[usec]")
    assert tables["Allreduce"][8] == pytest.approx(0.72e-6)
    assert tables["Barrier"] == {0: pytest.approx(0.56e-6)}
    with pytest.raises(UserError, match="0 tables of Bcast"):
        parse_tables(text, ["Bcast"], "t_avg[usec]")
