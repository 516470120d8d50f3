"""Races: which figures are of one way, which way is right, and which is the fastest."""

import msgspec
import pytest
from figures import flat
from kernel_run import KERNEL, ROOF, run_of, way
from roofs_example import BENCHMARKS

from leadline.analysis.results.rates import beaten_roofs, fraction_of_bound, races, with_bounds
from leadline.model.summary import PointSummary

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


def figure(name: str, seconds: float, *, moved: float = 0.0, flops: float = 0.0, **more: object):
    clean: dict[str, object] = {
        "benchmark": name,
        "axes": {},
        "settings": {"cache": "warm"},
        "processes": 1,
        "processes_per_node": 1,
        "mpi": "one",
        "bandwidth_MBps": moved / seconds / 1e6 if moved else None,
        "flops_per_s": flops / seconds if flops else None,
    }
    return flat(seconds, None, **(clean | more))


def kernel(elements: int, seconds: float, **more: object) -> PointSummary:
    axes = {"elements": elements}
    name = "test/kernel"
    return figure(name, seconds, moved=16.0 * elements, flops=2.0 * elements, axes=axes, **more)


def memory(size: int, rate: float, **more: object) -> PointSummary:
    axes = {"bytes": size, "kind": more.pop("kind", "read")}
    return figure("test/memory", size / rate, moved=float(size), axes=axes, **more)


CORES = figure("test/cores", 1.0, flops=64e9)


def test_the_roof_that_leaves_the_most_time_is_the_bound():
    # 1000 elements: 16000 bytes at 200 GB/s take 80 ns, 2000 flops at 64 Gflop/s 31 ns.
    points = with_bounds([kernel(1000, 100e-9), memory(16000, 200e9), CORES], BENCHMARKS)
    assert points[0].bound is not None
    assert points[0].bound.figure == 1
    assert points[0].bound.seconds == pytest.approx(80e-9)
    assert fraction_of_bound(points[0]) == pytest.approx(0.8)
    points = with_bounds([kernel(1000, 100e-9), memory(16000, 800e9), CORES], BENCHMARKS)
    assert points[0].bound is not None
    assert points[0].bound.figure == 2
    assert points[0].bound.seconds == pytest.approx(2000 / 64e9)


@pytest.mark.parametrize(
    "other",
    [
        memory(32000, 200e9),
        memory(16000, 200e9, kind="copy"),
        memory(16000, 200e9, mpi="two"),
        memory(16000, 200e9, processes_per_node=2),
        memory(16000, 200e9, settings={"cache": "cold"}),
        memory(16000, 200e9, verified=False),
    ],
)
def test_another_case_bounds_nothing(other):
    point, _ = with_bounds([kernel(1000, 100e-9), other], BENCHMARKS)
    assert point.bound is None
    assert fraction_of_bound(point) is None


def test_a_roof_has_no_bound_itself_and_a_size_next_to_the_one_asked_for_counts():
    points = with_bounds([kernel(1000, 100e-9), memory(16064, 200e9)], BENCHMARKS)
    assert points[0].bound is not None
    assert points[1].bound is None


def test_what_a_right_answer_beats_is_no_bound_of_any():
    # 426 GB/s below a roof of 239: the other bound remains, at that size alone.
    points = [
        kernel(1000, 16000 / 426e9),
        kernel(1000, 16000 / 200e9),
        memory(16000, 239e9),
        memory(32000, 200e9),
        kernel(2000, 32000 / 150e9),
        CORES,
    ]
    found = with_bounds(points, BENCHMARKS)
    assert beaten_roofs(points, BENCHMARKS) == {2: (0, pytest.approx(426 / 239))}
    assert [point.bound and point.bound.figure for point in found] == [5, 5, None, None, 3, None]
    assert all((fraction_of_bound(point) or 0) <= 1 for point in found)


def test_more_bytes_moved_faster_beat_a_roof_of_fewer():
    points = [kernel(1000, 16000 / 100e9), kernel(2000, 32000 / 300e9), memory(16000, 200e9)]
    assert beaten_roofs(points, BENCHMARKS) == {2: (1, pytest.approx(1.5))}
    assert with_bounds(points, BENCHMARKS)[0].bound is None


def test_a_roof_is_as_fast_as_it_is_with_more():
    points = [kernel(1000, 16000 / 100e9), memory(16000, 200e9), memory(32000, 250e9)]
    found = with_bounds(points, BENCHMARKS)
    assert found[0].bound is not None
    assert found[0].bound.figure == 2
    assert fraction_of_bound(found[0]) == pytest.approx(100 / 250)
    # Nor is it beaten by who is slower than that.
    assert beaten_roofs([kernel(2000, 32000 / 240e9), *points[1:]], BENCHMARKS) == {}
    # What was measured with more alone says nothing of less.
    assert with_bounds([points[0], points[2]], BENCHMARKS)[0].bound is None


def test_a_wrong_answer_beats_nothing_and_has_no_fraction_above_one():
    points = [kernel(1000, 16000 / 426e9, verified=False), memory(16000, 239e9)]
    assert beaten_roofs(points, BENCHMARKS) == {}
    assert fraction_of_bound(with_bounds(points, BENCHMARKS)[0]) is None


def test_what_may_be_chance_reaches_the_bound_and_does_not_beat_it():
    seconds = 16000 / 205e9
    near = kernel(1000, seconds, ci95_high_s=1.1 * seconds)
    found = with_bounds([near, memory(16000, 200e9)], BENCHMARKS)
    assert fraction_of_bound(found[0]) == 1
