"""A bound is what the slowest roof leaves at the same size, never that of another case."""

import pytest
from figures import flat
from roofs_example import BENCHMARKS

from leadline.analysis.results.rates import beaten_roofs, fraction_of_bound, with_bounds
from leadline.model.summary import PointSummary


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
