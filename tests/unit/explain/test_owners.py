"""Each second has one owner, whatever the rows say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.explain.bounds import Bounds, Curve, Shape
from leadline.explain.owners import (
    RankTime,
    between_begin_and_end,
    efficiency_of,
    owners_of,
    split,
)
from leadline.explain.recording import Function, Rank, Row, Site, Unfinished
from leadline.model.profile import Measured, Rule

ALLREDUCE = Function("MPI_Allreduce", 1)
SHAPE = Shape("MPI_Allreduce", 4, 1)
RULE = Rule(
    collective="allreduce", algorithm="shared", nodes=1, processes=4,
    measured=(Measured(8, 2.0, 0.5, 3.0),),
)  # fmt: skip


def calls(seconds, waiting=0.0, number=1000, function=ALLREDUCE):
    return Row(
        function=function, site=Site(), size_class=4, comm_ranks=4, nodes=1, calls=number,
        bytes=8 * number, seconds=seconds, waiting_s=waiting,
    )  # fmt: skip


def spent(**fields):
    return Rank(rank=0, node=0, **{"seconds": 10.0, "mpi_s": 0.0, "waiting_s": 0.0, **fields})


def test_transfer_is_split_by_the_curve_and_the_rule():
    bounds = Bounds(curves={SHAPE: Curve(seconds={8: 2e-6})}, rules=(RULE,))
    found = split(calls(0.005, 0.002), bounds)
    # 3 ms of its own, where 2 ms were measured: the algorithm saves three quarters.
    assert (found.transfer_s, found.excess_s, found.tunable_s) == pytest.approx(
        (0.0005, 0.00025, 0.00225)
    )


def test_without_a_curve_all_is_transfer():
    assert split(calls(0.005, 0.002), Bounds()).transfer_s == pytest.approx(0.003)
    assert split(calls(0.005), Bounds()).known_s == 0


def test_what_was_accelerated_is_held_against_the_algorithm_and_saves_no_more():
    bounds = Bounds(rules=(RULE,), accelerated=True)
    found = split(calls(0.0015), bounds)
    assert (found.transfer_s, found.excess_s, found.tunable_s) == pytest.approx((0.0005, 0.001, 0))


def test_rows_of_other_threads_do_not_make_the_main_thread_longer():
    found, _ = owners_of(spent(mpi_s=1.0, rows=(calls(1.0), calls(1.0))), Bounds())
    assert found.transfer_s == pytest.approx(1.0) and found.computing_s == pytest.approx(9.0)


def test_calls_that_found_no_row_are_transfer():
    rank = spent(mpi_s=2.0, waiting_s=0.5, rows=(calls(1.0),))
    found, known = owners_of(rank, Bounds())
    assert (found.transfer_s, known) == (pytest.approx(1.5), 0)
    found, known = owners_of(rank, Bounds(curves={SHAPE: Curve(seconds={8: 2e-6})}))
    assert (found.transfer_s, found.excess_s, known) == pytest.approx((0.502, 0.998, 1.0))


def test_a_call_that_did_not_return_counts_as_waiting():
    stuck = Unfinished(Function("MPI_Recv", 6), 4.0)
    found, _ = owners_of(spent(mpi_s=1.0, unfinished=stuck), Bounds())
    assert (found.waiting_s, found.transfer_s, found.computing_s) == pytest.approx((4, 1, 5))


TIMES = st.floats(min_value=0, max_value=1e4, allow_nan=False)


@given(
    seconds=TIMES, mpi=TIMES, waiting=TIMES, stuck=st.none() | TIMES,
    rows=st.lists(st.tuples(TIMES, TIMES, st.integers(1, 10**6)), max_size=4),
    bound=st.none() | st.floats(min_value=1e-9, max_value=1),
)  # fmt: skip
def test_the_five_owners_add_up_to_the_wall_time(seconds, mpi, waiting, stuck, rows, bound):
    curves = {SHAPE: Curve(seconds={8: bound})} if bound else {}
    rank = spent(
        seconds=seconds,
        mpi_s=mpi,
        waiting_s=waiting,
        rows=tuple(calls(took, waited, number) for took, waited, number in rows),
        unfinished=Unfinished(Function("MPI_Recv", 6), stuck) if stuck is not None else None,
    )
    found, known = owners_of(rank, Bounds(curves=curves, rules=(RULE,)))
    parts = (found.computing_s, found.waiting_s, found.transfer_s, found.excess_s, found.tunable_s)
    assert min(parts) >= -1e-9 * max(seconds, 1)
    assert sum(parts) == pytest.approx(seconds, rel=1e-9, abs=1e-9)
    assert known <= found.own_s * (1 + 1e-9) + 1e-9


def time_of(rank, computing, waiting=0.0, transfer=0.0):
    return RankTime(
        rank=rank, computing_s=computing, waiting_s=waiting, transfer_s=transfer, excess_s=0.0,
        tunable_s=0.0,
    )  # fmt: skip


def test_the_factors_of_pop():
    # One rank computes 8 s, the other 4 s and waits for it, and both move data for 2 s.
    found = efficiency_of([time_of(0, 8.0, 0.0, 2.0), time_of(1, 4.0, 4.0, 2.0)])
    assert found.load_balance == pytest.approx(0.75)
    assert found.serialisation == pytest.approx(1.0)
    assert found.transfer == pytest.approx(0.8)
    assert found.parallel == pytest.approx(0.6)
    # Each waits while the other one computes.
    found = efficiency_of([time_of(0, 5.0, 5.0), time_of(1, 5.0, 5.0)])
    assert (found.load_balance, found.serialisation) == pytest.approx((1.0, 0.5))


@given(st.lists(st.tuples(TIMES, TIMES, TIMES), min_size=1, max_size=6))
def test_pops_factors_multiply_to_the_parallel_efficiency(ranks):
    found = efficiency_of([time_of(at, *each) for at, each in enumerate(ranks)])
    product = found.load_balance * found.serialisation * found.transfer
    assert product == pytest.approx(found.parallel, rel=1e-6, abs=1e-9)
    assert 0 <= found.parallel <= 1 + 1e-9


def test_the_factors_leave_out_what_comes_before_and_after():
    """Of 10 s the first 2 are before the end of MPI_Init, which took 1, the last 3 MPI_Finalize."""
    rows = (
        calls(1.0, number=1, function=Function("MPI_Init", 14)),
        calls(3.0, 2.5, number=1, function=Function("MPI_Finalize", 14)),
        calls(0.5, 0.25),
    )
    rank = spent(mpi_s=4.5, waiting_s=2.75, rows=rows, before_s=2.0, after_s=3.0)
    found = between_begin_and_end(rank, owners_of(rank, Bounds())[0])
    assert (found.computing_s, found.waiting_s, found.transfer_s) == pytest.approx(
        (4.5, 0.25, 0.25)
    )
    unknown = spent(mpi_s=4.5, rows=rows)
    assert between_begin_and_end(unknown, RankTime(rank=0, computing_s=1)).computing_s == 1
