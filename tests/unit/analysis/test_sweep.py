"""Curves that are known, with and without steps."""

import dataclasses
from collections.abc import Callable, Sequence

import msgspec
import numpy as np
import pytest
from figures import flat

from leadline.analysis.results.sweep import fit_line, hockney, regimes, steps, sweeps
from leadline.model.description import Benchmark, Processes
from leadline.model.summary import PointSummary

SIZES = tuple(2**power for power in range(23))


@dataclasses.dataclass
class Curve:
    """Points of one curve from its times; `width` is the relative half-width of the intervals."""

    sizes: tuple[int, ...]
    seconds: np.ndarray
    width: float = 0.02

    def points(self, **changes: object) -> list[PointSummary]:
        made = [
            flat(
                seconds,
                size,
                ci95_low_s=seconds * (1 - self.width),
                ci95_high_s=seconds * (1 + self.width),
            )
            for size, seconds in zip(self.sizes, map(float, self.seconds), strict=True)
        ]
        return [msgspec.structs.replace(point, **changes) for point in made]


def smooth(latency_s: float, bytes_per_s: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda sizes: latency_s + sizes / bytes_per_s


def switched(at: int, before: tuple[float, float], after: tuple[float, float]) -> Curve:
    sizes = np.array(SIZES, dtype=float)
    times = np.where(sizes < at, smooth(*before)(sizes), smooth(*after)(sizes))
    return Curve(SIZES, times)


def found_sizes(curve: Curve) -> list[int]:
    return [curve.sizes[step.position] for step in steps(curve.points())]


@pytest.mark.parametrize("latency_s", [3e-7, 1e-6, 5e-5])
@pytest.mark.parametrize("bytes_per_s", [1e8, 1e10])
def test_smooth_noisy_curves_have_no_switch(latency_s: float, bytes_per_s: float) -> None:
    random = np.random.default_rng(1)
    times = smooth(latency_s, bytes_per_s)(np.array(SIZES, dtype=float))
    for _ in range(200):
        assert found_sizes(Curve(SIZES, times * random.lognormal(0, 0.02, len(SIZES)))) == []


def test_sparse_sizes_of_a_smooth_curve_have_no_switch() -> None:
    sizes = (8, 1024, 2**16, 2**20, 2**22, 2**26)
    assert found_sizes(Curve(sizes, smooth(1e-6, 1e10)(np.array(sizes)))) == []


def test_falling_bandwidth_beyond_a_cache_is_no_switch() -> None:
    sizes = np.array(SIZES, dtype=float)
    slower = np.interp(np.log2(sizes), [0, 17, 21, 22], [1, 1, 2, 2])
    assert found_sizes(Curve(SIZES, 1e-6 + sizes / 1e10 * slower)) == []


@pytest.mark.parametrize("at", [1024, 8192, 65536])
def test_a_step_is_found_where_it_is(at: int) -> None:
    random = np.random.default_rng(at)
    curve = switched(at, (1e-6, 1e10), (1e-6 + at / 1e10 + 1.5e-6, 1e10))
    for _ in range(100):
        noisy = curve.seconds * random.lognormal(0, 0.02, len(SIZES))
        assert found_sizes(Curve(SIZES, noisy)) == [at]


def test_a_step_down_is_found() -> None:
    curve = switched(65536, (1e-6, 2e9), (1e-6, 1e10))
    assert found_sizes(curve) == [65536]
    assert steps(curve.points())[0].factor < 0.5


def test_a_real_eager_limit_is_found() -> None:
    sizes = tuple(2**power for power in range(10, 17))
    times = np.array([1.02, 1.17, 1.49, 3.78, 4.40, 5.53, 7.81]) * 1e-6
    assert found_sizes(Curve(sizes, times)) == [8192]


def test_two_switches_are_both_found() -> None:
    sizes = np.array(SIZES, dtype=float)
    times = (
        1e-6 + sizes / 1e10 + np.where(sizes >= 2048, 1e-6, 0) + np.where(sizes >= 2**16, 3e-5, 0)
    )
    assert found_sizes(Curve(SIZES, times)) == [2048, 2**16]


def test_one_disturbed_size_is_no_protocol() -> None:
    times = smooth(1e-6, 1e10)(np.array(SIZES, dtype=float))
    times[9] *= 8
    assert found_sizes(Curve(SIZES, times)) == []


def test_wide_intervals_explain_a_step() -> None:
    curve = switched(8192, (1e-6, 1e10), (2.5e-6, 1e10))
    assert found_sizes(curve) == [8192]
    curve.width = 0.5
    assert found_sizes(curve) == []


def test_size_zero_has_no_logarithm_but_a_place() -> None:
    curve = switched(8192, (1e-6, 1e10), (4e-6, 1e10))
    with_zero = Curve((0, *SIZES), np.concatenate(([1e-6], curve.seconds)))
    assert found_sizes(with_zero) == [8192]


@pytest.mark.parametrize("noise", [0.0, 0.02])
def test_hockneys_figures_of_a_straight_line(noise: float) -> None:
    random = np.random.default_rng(4)
    times = smooth(2e-6, 5e9)(np.array(SIZES, dtype=float))
    rate, half = hockney(Curve(SIZES, times * random.lognormal(0, noise, len(SIZES))).points())
    assert rate == pytest.approx(5000, rel=0.001 + 2 * noise)
    assert half == pytest.approx(2e-6 * 5e9, rel=0.001 + 5 * noise)


def test_hockneys_figures_survive_one_disturbed_size() -> None:
    times = smooth(2e-6, 5e9)(np.array(SIZES, dtype=float))
    times[15] *= 5
    rate, half = hockney(Curve(SIZES, times).points())
    assert rate == pytest.approx(5000, rel=0.01)
    assert half == pytest.approx(10_000, rel=0.02)


def test_asymptote_is_that_of_the_last_protocol() -> None:
    curve = switched(2**17, (1e-6, 2e9), (3e-5, 1e10))
    rate, half = hockney(curve.points())
    assert rate == pytest.approx(10_000, rel=0.05)
    assert half and 2**17 < half < 3.2e5


def test_small_messages_alone_have_no_asymptote() -> None:
    sizes = SIZES[:8]
    times = smooth(2e-6, 5e9)(np.array(sizes, dtype=float))
    random = np.random.default_rng(2)
    for _ in range(50):
        noisy = times * random.lognormal(0, 0.02, len(sizes))
        assert hockney(Curve(sizes, noisy).points()) == (None, None)


def test_large_messages_alone_have_no_half_size() -> None:
    sizes = tuple(2**power for power in range(20, 27))
    times = smooth(2e-6, 5e9)(np.array(sizes, dtype=float))
    assert hockney(Curve(sizes, times).points()) == (None, None)


def test_line_through_a_curve_that_only_gets_slower_has_no_negative_latency() -> None:
    sizes = np.array([1.0, 2.0, 4.0, 8.0])
    line = fit_line(sizes, sizes**1.5)
    assert line.latency_s >= 0 and line.seconds_per_byte > 0


def test_sweeps_group_all_but_size_and_need_four_sizes() -> None:
    curve = switched(8192, (1e-6, 1e10), (4e-6, 1e10))
    one, other = curve.points(), curve.points(mpi="another")
    few = Curve(SIZES[:3], curve.seconds[:3]).points(series="other")
    mixed = [point for pair in zip(one, other, strict=True) for point in reversed(pair)] + few
    first, second = sweeps(mixed)
    assert (first.mpi, second.mpi) == ("another", "first")
    assert first.points == tuple(range(0, 2 * len(SIZES), 2))
    assert first.variant == "way=plain"
    assert first.latency_s == one[0].median_s
    assert first.switches_bytes == (8192,)
    assert first.best_size_bytes == SIZES[-1]
    assert first.best_MBps == one[-1].bandwidth_MBps


def test_sizes_that_are_not_of_messages_make_no_sweep() -> None:
    points = switched(8192, (1e-6, 1e10), (4e-6, 1e10)).points()
    described = Benchmark(
        name=points[0].benchmark,
        summary="",
        axes=(),
        processes=Processes(),
        series=(),
        api="mpi",
        start="",
    )
    assert len(sweeps(points, [described])) == 1
    assert sweeps(points, [msgspec.structs.replace(described, messages=False)]) == ()


def test_a_sweep_without_bytes_moved_has_latency_only() -> None:
    times = smooth(2e-6, 5e9)(np.array(SIZES, dtype=float))
    (sweep,) = sweeps(Curve(SIZES, times).points(bandwidth_MBps=None))
    assert sweep.asymptotic_MBps is None and sweep.best_size_bytes is None
    assert sweep.latency_s == times[0]


def _curve(table: np.ndarray) -> list[PointSummary]:
    """Return a curve with these launches' medians, shape (sizes, launches)."""
    medians = np.median(table, axis=1)
    return [
        msgspec.structs.replace(point, launch_medians_s=tuple(row))
        for point, row in zip(Curve(SIZES, medians).points(), table.tolist(), strict=True)
    ]


def _times(latency_s: float, per_byte: float) -> np.ndarray:
    return latency_s + per_byte * np.array(SIZES, float)


def _ends(found: Sequence) -> list[tuple[int, int]]:
    return [(one.from_bytes, one.to_bytes) for one in found]


def test_one_line_is_one_regime() -> None:
    times = _times(1e-6, 1e-10)[:, None] * np.ones((1, 3))
    (found,) = regimes(_curve(times), ())
    assert (found.from_bytes, found.to_bytes) == (1, SIZES[-1])
    assert found.latency_s == pytest.approx(1e-6)
    assert found.seconds_per_byte == pytest.approx(1e-10)
    assert found.latency_low_s == pytest.approx(1e-6)
    assert found.largest_residual < 1e-9


def test_a_protocol_and_a_cache_make_three() -> None:
    sizes = np.array(SIZES)
    eager, rendezvous = _times(1e-6, 1e-10), _times(3e-6, 0.5e-10)
    beyond = rendezvous + np.maximum(sizes - 2**17, 0) * 3e-10
    times = np.where(sizes < 2**13, eager, beyond)[:, None] * np.array([[0.99, 1.0, 1.01]])
    found = regimes(_curve(times), (2**13,))
    assert _ends(found)[0] == (1, 2**12)
    assert found[0].seconds_per_byte == pytest.approx(1e-10, rel=0.05)
    assert found[1].from_bytes == 2**13
    assert found[1].latency_s == pytest.approx(3e-6, rel=0.1)
    assert found[-1].seconds_per_byte == pytest.approx(3.5e-10, rel=0.1)
    assert len(found) == 3
    # Beyond the cache time falls short of any line with a latency above zero, and the residual of
    # the last piece says so.
    assert [one.mean_residual <= 0.05 for one in found] == [True, True, False]


@pytest.mark.parametrize("launches", [3, 10])
def test_intervals_hold_the_truth(launches: int) -> None:
    random = np.random.default_rng(launches)
    hits, trials = np.zeros(2), 300
    for _ in range(trials):
        level = np.exp(0.03 * random.normal(size=(1, launches)))
        noise = np.exp(0.01 * random.normal(size=(len(SIZES), launches)))
        (found,) = regimes(_curve(_times(1e-6, 1e-10)[:, None] * level * noise), ())
        hits += [
            found.latency_low_s <= 1e-6 <= found.latency_high_s,
            found.seconds_per_byte_low <= 1e-10 <= found.seconds_per_byte_high,
        ]
    assert np.all((hits / trials >= 0.92) & (hits / trials <= 0.98))


def test_one_launch_and_few_sizes() -> None:
    (found,) = regimes(_curve(_times(1e-6, 1e-10)[:, None]), ())
    assert found.latency_low_s is None
    assert regimes(_curve(_times(1e-6, 1e-10)[:, None])[:3], ()) == ()
    assert regimes([], ()) == ()
