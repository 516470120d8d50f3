"""Jobs that are shared between those who measure and those who disturb them."""

import pytest

from leadline.core.errors import UserError
from leadline.measure.plan.points import expand
from leadline.measure.plan.schedule import check_neighbours, jobs_of, neighbours_of, schedule
from leadline.model.description import Axis, Congestor, Processes
from leadline.model.placement import Placement, parse_placement
from leadline.model.plan import Entry, Plan
from probes import made_benchmark, made_description, made_probe_set

KINDS = ("none", "flood", "drip")
SETTINGS = (
    Axis(name="neighbour", kind="choice", summary="", default="none", choices=KINDS),
    Axis(name="spacer", kind="integer", summary="", default="0", minimum=0),
    Axis(name="neighbour_bytes", kind="bytes", summary="", default="0", minimum=0),
)


def described(**changes):
    pair = made_benchmark("mpi/pair", processes=Processes(minimum=2, maximum=2))
    usual = {
        "neighbour_settings": SETTINGS,
        "congestors": (
            Congestor(name="flood", summary="", minimum=2),
            Congestor(name="drip", summary="", minimum=1),
        ),
    }
    return made_description(pair, **(usual | changes))


def plan(place, victims, **settings):
    places = tuple(parse_placement(word) for word in place.split(","))
    entry = Entry(benchmarks=("mpi/pair",), settings=settings)
    return Plan(entries=(entry,), placements=places, victims=victims)


def points(plan, description=None):
    description = description or described()
    found = expand(plan, [made_probe_set(description)], 2**30)
    check_neighbours(plan, found, [description])
    return found


def test_victims_are_nodes_and_inside_a_node_processes():
    assert jobs_of(plan("4x2", 2)) == {Placement(2, 2): Placement(4, 2)}
    assert jobs_of(plan("1x4", 2)) == {Placement(1, 2): Placement(1, 4)}
    assert jobs_of(plan("4x2,1x2", 0)) == {
        Placement(4, 2): Placement(4, 2),
        Placement(1, 2): Placement(1, 2),
    }


def test_the_victim_is_measured_on_its_own_nodes_and_the_job_has_all():
    shared = plan("6x1", 2, neighbour="none,flood", spacer="0,1")
    found = points(shared)
    assert {point.placement for point in found} == {Placement(2, 1)}
    beside = [(p.settings["neighbour"], p.settings["spacer"]) for p in found]
    assert beside == [("none", 0), ("flood", 0), ("flood", 1)]
    for members in schedule(found, 3, seed=1):
        assert len(members) == 3
        assert neighbours_of(shared, Placement(6, 1), members) == 3  # with every spacer as many


def test_without_victims_points_know_nothing_of_neighbours():
    alone = plan("2x1", 0)
    assert [point.settings for point in points(alone)] == [{}]
    assert neighbours_of(alone, Placement(2, 1), points(alone)) == 0


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        (plan("2x1", 0, neighbour="flood"), r"^setting neighbour goes with --victims"),
        (plan("4x1", 4), r"^victims 4: placement 4x1 has 4 nodes, and 1 to 3 of them may measure"),
        (plan("4x1", -1), r"^victims -1: "),
        (plan("1x2", 2), r"^victims 2: placement 1x2 has 2 processes on its one node"),
        (plan("4x1,5x1", 2), r"placements 4x1 and 5x1 have the same ranks that measure"),
        (plan("4x1", 3), r"^mpi/pair uses at most 2 processes and placement 3x1 has 3"),
        (
            plan("4x1", 2, neighbour="none,flood", spacer="0,1"),
            r"^neighbour flood needs 2 processes, and placement 4x1 with 2 victims and 1 idle "
            r"nodes has 1 left",
        ),
        (plan("4x1", 2, neighbour="drip", spacer="2"), r"^neighbour drip needs 1 processes"),
        (plan("4x1", 2, neighbour="torrent"), r"is unknown: there is none, flood, drip"),
        (plan("4x1", 2, neighbour="drip", spacer="-1"), r"^spacer=-1"),
    ],
)
def test_what_does_not_fit_is_one_line(asked, line):
    with pytest.raises(UserError, match=line):
        points(asked)


def test_an_api_without_congestors_has_no_victims():
    bare = described(neighbour_settings=(), congestors=())
    with pytest.raises(UserError, match=r"API mpi cannot be disturbed in the same job"):
        points(plan("4x1", 2), bare)
