"""Races: which figures are of one way, which way is right, and which is the fastest."""

import msgspec
import pytest
from kernel_run import KERNEL, ROOF, run_of, way

from leadline.analysis.results.rates import races

PLAIN, WIDE, WRONG, LIBRARY = (
    "plain.c gcc-12.2.0 -O2",
    "wide.c gcc-12.2.0 -O3 -march=native",
    "wide.c gcc-12.2.0 -Ofast",
    "blas-1.0 ready",
)


def the_race(*points):
    run, analysis = run_of(*([points] if points else []))
    (race,) = races(run, analysis.points)
    return race, analysis.points


def test_each_way_has_its_figures_by_size():
    race, points = the_race()
    assert list(race.ways) == [PLAIN, WIDE, WRONG, LIBRARY]
    assert (race.size_axis, race.bytes_each) == ("elements", 16)
    assert race.sizes == [100, 1000, 10000]
    assert points[race.ways[WIDE][1000]].flops_per_s == pytest.approx(20e9)


def test_a_wrong_way_is_never_the_fastest():
    race, points = the_race()
    assert race.right(points) == [PLAIN, WIDE, LIBRARY]
    assert race.fastest(points) == {100: WIDE, 1000: WIDE, 10000: LIBRARY}


def test_one_wrong_figure_makes_the_way_wrong_at_every_size():
    sizes = {100: 2, 1000: 2}
    mixed = way("half.c", {100: 50}) + way("half.c", {1000: 50}, failed=["nan"])
    race, points = the_race(*mixed, *way("plain.c", sizes), *ROOF)
    assert set(race.fastest(points).values()) == {PLAIN}


def test_leaders_are_as_few_as_are_as_good():
    near = way("near.c", {100: 9.9, 1000: 19.9, 10000: 9.9})
    best = way("best.c", {100: 10, 1000: 10, 10000: 10}) + way("more.c", {1000: 20})
    race, points = the_race(*near, *best, *ROOF)
    assert len(set(race.fastest(points).values())) == 2
    assert race.leaders(points) == dict.fromkeys([100, 1000, 10000], "near.c gcc-12.2.0 -O2")


def test_other_conditions_are_another_race_and_roofs_are_in_none():
    cold = [*way("plain.c", {100: 1})]
    run, analysis = run_of([*way("plain.c", {100: 2}), *ROOF])
    assert [race.benchmark.name for race in races(run, analysis.points)] == [KERNEL.name]
    other = msgspec.structs.replace(cold[0], settings={"cache": "cold"})
    run, analysis = run_of([*way("plain.c", {100: 2}), other])
    assert len(races(run, analysis.points)) == 2
