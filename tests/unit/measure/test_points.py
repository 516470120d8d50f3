"""From names, patterns and values to points."""

import pytest

from leadline.core.errors import UserError
from leadline.measure.plan.checks import check_plan
from leadline.measure.plan.points import expand
from leadline.model.description import Axis, Processes
from leadline.model.placement import Placement
from leadline.model.plan import Entry, Plan
from probes import made_benchmark, made_description, made_probe_set

GIBIBYTE = 2**30


SIZES = Axis(name="bytes", kind="bytes", summary="", default="1:16:x2", quick="8")
WAYS = Axis(name="way", kind="choice", summary="", default="a", choices=("a", "b"), quick="a,b")
PAIR = made_benchmark("mpi/pair", SIZES, processes=Processes(minimum=2, maximum=2))
GROUP = made_benchmark("mpi/group", SIZES, WAYS)


@pytest.fixture
def probe_sets():
    return [made_probe_set(made_description(PAIR, GROUP))]


def measured(probe_sets, *placements, **entry):
    plan = Plan(entries=(Entry(**entry),), placements=placements or (Placement(1, 2),))
    return [
        (p.benchmark, p.placement.processes, *p.axes.values())
        for p in expand(plan, probe_sets, GIBIBYTE)
    ]


def test_a_knob_that_changes_some_points_leaves_one_of_each_other():
    algorithms = ("library", "ring", "tree")
    axis = Axis(
        name="algorithm", kind="choice", summary="", default="", choices=algorithms, quick=""
    )
    chosen = made_probe_set(made_description(made_benchmark("mpi/chosen", axis)))
    plan = Plan(
        entries=(Entry(benchmarks=("mpi/chosen",), axes={"algorithm": ",".join(algorithms)}),),
        placements=(Placement(2, 1),),
        knobs={"collective_selector": "ompi,mpich", "eager_limit": "default"},
    )
    points = expand(plan, [chosen], GIBIBYTE)
    found = [f"{p.axes['algorithm']} {p.knobs['collective_selector']}" for p in points]
    assert found == ["library ompi", "ring ompi", "tree ompi", "library mpich"]


def test_an_entry_with_placements_is_measured_on_these_alone(probe_sets):
    pair, four = Placement(1, 2), Placement(1, 4)
    plan = Plan(
        entries=(
            Entry(benchmarks=("mpi/pair",), placements=(pair,), axes={"bytes": "8"}),
            Entry(benchmarks=("mpi/group",), axes={"bytes": "8", "way": "a"}),
        ),
        placements=(four, pair),
    )
    found = [(p.benchmark, p.placement) for p in expand(plan, probe_sets, GIBIBYTE)]
    assert found == [("mpi/pair", pair), ("mpi/group", four), ("mpi/group", pair)]


def test_a_name_takes_the_default_values(probe_sets):
    assert measured(probe_sets, benchmarks=("mpi/group",)) == [
        ("mpi/group", 2, size, "a") for size in (1, 2, 4, 8, 16)
    ]


def test_quick_values_are_the_benchmarks_own_unless_they_are_given(probe_sets):
    quick = {"benchmarks": ("mpi/*",), "values": "quick"}
    assert measured(probe_sets, **quick) == [
        ("mpi/pair", 2, 8),
        ("mpi/group", 2, 8, "a"),
        ("mpi/group", 2, 8, "b"),
    ]
    assert measured(probe_sets, **quick, axes={"way": "b"})[1:] == [("mpi/group", 2, 8, "b")]


def test_a_pattern_leaves_out_what_does_not_suit_a_placement(probe_sets):
    places = (Placement(1, 2), Placement(1, 4))
    found = measured(probe_sets, *places, benchmarks=("*",), values="quick", axes={"way": "a"})
    assert found == [("mpi/pair", 2, 8), ("mpi/group", 2, 8, "a"), ("mpi/group", 4, 8, "a")]
    with pytest.raises(UserError, match=r"mpi/pair uses at most 2 processes"):
        measured(probe_sets, *places, benchmarks=("mpi/pair",))


def test_an_axis_that_none_of_a_pattern_has_is_refused(probe_sets):
    with pytest.raises(UserError, match=r"mpi/p\* has no axis 'way': there is bytes"):
        measured(probe_sets, benchmarks=("mpi/p*",), axes={"way": "a"})


def test_a_placement_that_does_not_suit_is_refused_before_any_probe_is_built(tmp_path, monkeypatch):
    # Of shmem only a build says what it measures.
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path))
    entry = Entry(benchmarks=("mpi/pingpong", "shmem/put"))
    plan = Plan(entries=(entry,), placements=(Placement(1, 1),))
    with pytest.raises(UserError, match="mpi/pingpong needs 2 processes"):
        check_plan(plan)
    assert not any(tmp_path.iterdir())
