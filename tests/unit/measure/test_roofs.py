"""The points that bound others are planned beside them, once, under the same conditions."""

import pytest
from roofs_example import BENCHMARKS, BYTES

from leadline.measure.plan.points import nearest_size, with_roofs
from leadline.model.placement import Placement
from leadline.model.plan import Point
from probes import made_description, made_probe_set


@pytest.fixture
def probe_sets():
    return [made_probe_set(made_description(*BENCHMARKS))]


def kernel(index, elements, placement, **settings):
    return Point(
        index=index,
        benchmark="test/kernel",
        axes={"elements": elements},
        settings=settings,
        placement=placement,
        mpi="one",
        api="mpi",
    )


def test_each_point_gets_its_roofs_at_its_size_and_under_its_conditions(probe_sets):
    places = Placement(1, 1), Placement(1, 2)
    points = [
        kernel(0, 100, places[0], cache="warm"),
        kernel(1, 101, places[0], cache="warm"),
        kernel(2, 1000, places[1], cache="cold"),
    ]
    found = with_roofs(points, probe_sets)
    assert found[:3] == points
    assert [point.index for point in found] == list(range(len(found)))
    told = [(p.benchmark, str(p.placement), p.settings["cache"], dict(p.axes)) for p in found[3:]]
    # 1616 bytes are nearest to 25 times 64, as 1600 are.
    assert told == [
        ("test/memory", "1x1", "warm", {"bytes": 1600, "kind": "read"}),
        ("test/cores", "1x1", "warm", {}),
        ("test/memory", "1x2", "cold", {"bytes": 16000, "kind": "read"}),
        ("test/cores", "1x2", "cold", {}),
    ]


def test_a_size_that_the_roof_does_not_allow_has_none(probe_sets):
    found = with_roofs([kernel(0, 10**9, Placement(1, 1))], probe_sets)
    assert [point.benchmark for point in found] == ["test/kernel", "test/cores"]
    assert nearest_size(BYTES, 10) == 64


def test_a_roof_that_is_in_the_plan_is_not_measured_twice(probe_sets):
    points = with_roofs([kernel(0, 100, Placement(1, 1))], probe_sets)
    assert with_roofs(points, probe_sets) == points
