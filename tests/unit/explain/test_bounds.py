"""What the machine was measured to do: which figure stands for which call, at which size."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.explain.bounds import MESSAGE, Bounds, Curve, Shape, stands_for
from leadline.explain.recording import Function, Row, Site
from leadline.model.description import Axis, Benchmark, Delivery, Processes, Series
from leadline.model.profile import Measured, Rule

SIZES = Axis(name="bytes", kind="bytes", summary="", default="8,64", multiple_of=8, minimum=8)
ALGORITHM = Axis(
    name="algorithm", kind="choice", summary="", default="all", choices=("library", "ring")
)
ALLREDUCE = Benchmark(
    name="m/allreduce", title="MPI_Allreduce", summary="", start="", api="mpi",
    processes=Processes(),
    axes=(SIZES, ALGORITHM), series=(Series(name="completion", definition=""),),
)  # fmt: skip
BALL = Benchmark(
    name="m/ball", title="Ball", summary="", start="", api="mpi",
    processes=Processes(),
    axes=(
        SIZES,
        Axis(name="mode", kind="choice", summary="", default="blocking",
             choices=("blocking", "nonblocking")),
    ),
    series=(Series(name="one-way", definition=""),),
    delivery=Delivery(sides="two-sided", series="one-way"),
)  # fmt: skip


def calls(name="MPI_Allreduce", kind=1, size=8, ranks=4, nodes=1, seconds=1.0):
    return Row(
        function=Function(name, kind), site=Site(), size_class=0, comm_ranks=ranks, nodes=nodes,
        calls=1, bytes=size, seconds=seconds, waiting_s=0.0,
    )  # fmt: skip


def test_a_benchmark_says_itself_what_it_stands_for():
    assert stands_for(ALLREDUCE, "completion", {"algorithm": "library"}) == "MPI_Allreduce"
    assert stands_for(ALLREDUCE, "completion", {"algorithm": "ring"}) == ""
    assert stands_for(BALL, "one-way", {"mode": "blocking"}) == MESSAGE
    assert stands_for(BALL, "one-way", {"mode": "nonblocking"}) == ""
    assert stands_for(BALL, "other", {"mode": "blocking"}) == ""


def test_a_call_is_bounded_by_its_own_shape():
    bounds = Bounds(curves={
        Shape("MPI_Allreduce", 4, 1): Curve(seconds={8: 1e-6}),
        Shape(MESSAGE, 2, 1): Curve(seconds={8: 2e-7}),
        Shape(MESSAGE, 2, 2): Curve(seconds={8: 2e-6}),
    })  # fmt: skip
    assert bounds.seconds_of(calls()) == 1e-6
    assert bounds.seconds_of(calls(ranks=2)) is None
    assert bounds.seconds_of(calls(nodes=2)) is None
    assert bounds.seconds_of(calls("MPI_Recv", 6, ranks=64)) == 2e-7
    assert bounds.seconds_of(calls("MPI_Recv", 6, ranks=64, nodes=8)) == 2e-6
    assert bounds.seconds_of(calls("MPI_Win_fence", 12)) is None


def test_a_rule_is_a_bound_too_and_says_what_is_saved():
    rule = Rule(
        collective="allreduce", algorithm="shared", nodes=1, processes=4, from_bytes=8,
        to_bytes=64, measured=(Measured(8, 2.0, 1.0, 1.6), Measured(64, 4.0, 1.0, 3.0)),
    )  # fmt: skip
    bounds = Bounds(rules=(rule,))
    assert bounds.seconds_of(calls()) == pytest.approx(2e-6)
    saving = bounds.saving_of(calls(seconds=2e-6))
    assert saving.seconds == pytest.approx(1e-6)
    assert saving.least == pytest.approx(2e-6 * (1 - 1 / 1.6))
    assert saving.most == pytest.approx(2e-6 * (1 - 1.6 / 4))
    assert bounds.saving_of(calls(size=128)) is None
    assert bounds.saving_of(calls(ranks=8)) is None
    kept = Rule(collective="allreduce", algorithm="library", measured=rule.measured)
    assert Bounds(rules=(kept, rule)).saving_of(calls()) is None


def test_what_a_call_takes_beyond_the_measured_time_may_stay_or_go():
    rule = Rule(
        collective="allreduce", algorithm="shared", nodes=1, processes=4, from_bytes=8,
        to_bytes=8, measured=(Measured(8, 2.0, 1.0, 1.6),),
    )  # fmt: skip
    saving = Bounds(rules=(rule,)).saving_of(calls(seconds=6e-6))
    assert saving.least == pytest.approx(2e-6 * (1 - 1 / 1.6))
    assert saving.seconds == pytest.approx(3e-6)
    assert saving.most == pytest.approx(5e-6)


@given(
    st.dictionaries(st.integers(1, 2**24), st.floats(1e-8, 1e-1), min_size=1, max_size=8),
    st.integers(0, 2**24),
)
def test_a_time_between_two_sizes_is_between_theirs(seconds, size):
    found = Curve(seconds=seconds).at(size)
    if size > 16 * max(seconds):
        assert found is None
    elif size <= max(seconds):
        assert min(seconds.values()) * 0.999 <= found <= max(seconds.values()) * 1.001
        assert size not in seconds or found == pytest.approx(seconds[size])
