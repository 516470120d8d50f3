"""From names, patterns and values to points."""

from pathlib import Path

import pytest

from leadline.core.errors import UserError
from leadline.measure.build.probe import Probe
from leadline.measure.plan.points import expand
from leadline.measure.plan.selection import Offer
from leadline.model.description import Axis, Benchmark, Description, Processes
from leadline.model.installation import Installation
from leadline.model.placement import Placement
from leadline.model.plan import Entry, Plan

GIBIBYTE = 2**30


def benchmark(name: str, processes: Processes, *axes: Axis) -> Benchmark:
    return Benchmark(
        name=name,
        summary="",
        axes=axes,
        processes=processes,
        series=(),
        transport="mpi",
        start="",
    )


SIZES = Axis(name="bytes", kind="bytes", summary="", default="1:16:x2", quick="8")
WAYS = Axis(name="way", kind="choice", summary="", default="a", choices=("a", "b"), quick="a,b")
PAIR = benchmark("mpi/pair", Processes(minimum=2, maximum=2), SIZES)
GROUP = benchmark("mpi/group", Processes(), SIZES, WAYS)


@pytest.fixture
def offers() -> list[Offer]:
    described = Description(
        format=1,
        transport="mpi",
        benchmarks=(PAIR, GROUP),
        settings=(),
        sample=(),
        flags=(),
    )
    one = Installation(name="one", family="mpich", version="1", prefix="/", source="test")
    return [Offer(one, {"mpi": Probe(path=Path("/probe"), description=described)})]


def measured(offers: list[Offer], *placements: Placement, **entry: object) -> list[tuple]:
    plan = Plan(entries=(Entry(**entry),), placements=placements or (Placement(1, 2),))
    return [
        (p.benchmark, p.placement.processes, *p.axes.values())
        for p in expand(plan, offers, GIBIBYTE)
    ]


def test_a_name_takes_the_default_values(offers):
    assert measured(offers, benchmarks=("mpi/group",)) == [
        ("mpi/group", 2, size, "a") for size in (1, 2, 4, 8, 16)
    ]


def test_quick_values_are_the_benchmarks_own_unless_they_are_given(offers):
    quick = {"benchmarks": ("mpi/*",), "values": "quick"}
    assert measured(offers, **quick) == [
        ("mpi/pair", 2, 8),
        ("mpi/group", 2, 8, "a"),
        ("mpi/group", 2, 8, "b"),
    ]
    assert measured(offers, **quick, axes={"way": "b"})[1:] == [("mpi/group", 2, 8, "b")]


def test_a_pattern_leaves_out_what_does_not_suit_a_placement(offers):
    places = (Placement(1, 2), Placement(1, 4))
    found = measured(offers, *places, benchmarks=("*",), values="quick", axes={"way": "a"})
    assert found == [("mpi/pair", 2, 8), ("mpi/group", 2, 8, "a"), ("mpi/group", 4, 8, "a")]
    with pytest.raises(UserError, match=r"mpi/pair uses at most 2 processes"):
        measured(offers, *places, benchmarks=("mpi/pair",))


def test_an_axis_that_none_of_a_pattern_has_is_refused(offers):
    with pytest.raises(UserError, match=r"mpi/p\* has no axis 'way': there is bytes"):
        measured(offers, benchmarks=("mpi/p*",), axes={"way": "a"})
