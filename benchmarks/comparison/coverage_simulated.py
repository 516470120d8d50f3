"""Data whose truth is known, and the intervals that leadline prints, tried on them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from leadline.analysis.results.sweep import line_intervals
from leadline.analysis.stats.comparison import Series, time_ratio
from leadline.analysis.stats.extremes import predict_maximum
from leadline.analysis.stats.launches import estimate, quantile_over_launches

Random = np.random.Generator

# How values around 1 scatter. Launches and samples are drawn from the same shapes; what is alike
# from one value to the next are samples, never launches.
SCATTER = {"normal": 0.05, "lognormal": 0.2, "heavy tail": 0.05, "two modes": 0.05, "alike": 0.05}
NAMES = tuple(SCATTER)

LAUNCHES = (2, 3, 5, 6, 10, 30)
_WITHIN, _SAMPLES = 0.05, 40
_ALIKE = 0.9
_HEAVY = 2.5


def drawn(name: str, random: Random, shape: tuple[int, ...]) -> np.ndarray:
    """Return values around 1 that scatter as `name` says; along the last axis in time."""
    scale = SCATTER[name]
    if name == "normal":
        return 1 + scale * random.normal(size=shape)
    if name == "lognormal":
        return np.exp(scale * random.normal(size=shape))
    if name == "heavy tail":
        return 1 + scale * random.pareto(_HEAVY, shape)
    if name == "two modes":
        return np.where(random.random(shape) < 0.3, 1.4, 1.0) * (
            1 + scale * random.normal(size=shape)
        )
    return np.exp(scale * _autoregressive(random, shape))


def _autoregressive(random: Random, shape: tuple[int, ...]) -> np.ndarray:
    values = random.normal(size=shape)
    values[..., 0] /= math.sqrt(1 - _ALIKE**2)
    for index in range(1, shape[-1]):
        values[..., index] += _ALIKE * values[..., index - 1]
    return values


def levels(name: str, random: Random, launches: int) -> np.ndarray:
    """Return the levels of so many launches, shape (launches, 1)."""
    return drawn("lognormal" if name == "alike" else name, random, (launches, 1))


@cache
def quantile_of(name: str, quantile: float) -> float:
    """Return the true quantile, from four million values."""
    return float(np.quantile(drawn(name, np.random.default_rng(99), (400_000, 10)), quantile))


class Case(NamedTuple):
    """An interval: what it is of, and a trial that says whether it held the truth.

    The trial gives None where there is no such interval, which misses nothing.
    """

    name: str
    trial: Callable[[str, Random], bool | None]


def cases() -> Iterator[Case]:
    """Yield every kind of interval that leadline prints."""
    for count in (50, 1000):
        yield Case(f"median, one launch of {count}", _within(count))
    for count in LAUNCHES:
        yield Case(f"median, {count} launches", _median(count))
    for count in LAUNCHES:
        yield Case(f"ratio of runs, {count} launches", _apart(count))
    for count in LAUNCHES:
        yield Case(f"ratio within a run, {count} launches", _paired(count))
    for quantile in (0.9, 0.99):
        yield Case(f"p{100 * quantile:.0f}, one launch of 1000", _quantile(1, quantile, 1000))
        for count in (3, 10, 30):
            yield Case(f"p{100 * quantile:.0f}, {count} launches", _quantile(count, quantile, 400))
    for count in (3, 10):
        yield Case(f"latency of a line, {count} launches", _line(count, of_latency=True))
        yield Case(f"time per byte of a line, {count} launches", _line(count, of_latency=False))
    yield Case("maximum over 64 tasks from 8", _maximum)


def _holds(interval: tuple[float, float] | None, truth: float) -> bool | None:
    return None if interval is None else bool(interval[0] <= truth <= interval[1])


def _within(count: int) -> Callable[[str, Random], bool | None]:
    def trial(name: str, random: Random) -> bool | None:
        found = estimate([drawn(name, random, (count,))])
        return _holds(found.interval, quantile_of(name, 0.5))

    return trial


def _table(name: str, random: Random, launches: int, samples: int = _SAMPLES) -> np.ndarray:
    """Return samples of launches whose levels scatter as `name` says, around their own level."""
    inner = name if name == "alike" else "normal"
    return np.asarray(levels(name, random, launches) * drawn(inner, random, (launches, samples)))


def _level(name: str) -> float:
    return quantile_of("lognormal" if name == "alike" else name, 0.5)


def _median(launches: int) -> Callable[[str, Random], bool | None]:
    def trial(name: str, random: Random) -> bool | None:
        found = estimate(list(_table(name, random, launches)))
        return _holds(found.interval, _level(name))

    return trial


def _figure(medians: np.ndarray) -> Series:
    return Series(float(np.median(medians)), None, tuple(medians.tolist()))


def _apart(launches: int) -> Callable[[str, Random], bool | None]:
    def trial(name: str, random: Random) -> bool | None:
        one, two = (np.median(_table(name, random, launches), axis=1) for _ in range(2))
        found = time_ratio(_figure(two * 1.1), _figure(one), "apart")
        return _holds(found.interval if found else None, 1.1)

    return trial


def _paired(launches: int) -> Callable[[str, Random], bool | None]:
    """Two figures of the same launches: they share the launch's level."""

    def trial(name: str, random: Random) -> bool | None:
        level = levels(name, random, launches)
        inner = [drawn(name, random, (launches, _SAMPLES)) for _ in range(2)]
        one, two = (np.median(level * values, axis=1) for values in inner)
        found = time_ratio(_figure(two * 1.1), _figure(one))
        return _holds(found.interval if found else None, 1.1)

    return trial


def _quantile(launches: int, quantile: float, samples: int) -> Callable[[str, Random], bool | None]:
    def trial(name: str, random: Random) -> bool | None:
        table = drawn(name, random, (launches, samples))
        if launches > 1:
            table = levels(name, random, launches) * table
        found = quantile_over_launches(list(table), quantile)
        level = _level(name) if launches > 1 else 1.0
        return _holds(found, level * quantile_of(name, quantile))

    return trial


def _line(launches: int, of_latency: bool) -> Callable[[str, Random], bool | None]:
    """A curve of 1 us and 0.1 ns a byte, with the launch's level and noise of 1 % at each size."""
    sizes = np.exp2(np.arange(23, dtype=np.float64))

    def trial(name: str, random: Random) -> bool | None:
        level = levels(name, random, launches).T / _level(name)
        table = (1e-6 + 1e-10 * sizes)[:, None] * level
        found = line_intervals(sizes, table * np.exp(0.01 * random.normal(size=table.shape)))
        if found is None:
            return None
        return _holds(found[0], 1e-6) if of_latency else _holds(found[1], 1e-10)

    return trial


@cache
def _true_maximum(name: str) -> float:
    random = np.random.default_rng(98)
    return float(np.mean([drawn(name, random, (200, 64)).max(axis=1).mean() for _ in range(500)]))


def _maximum(name: str, random: Random) -> bool | None:
    """Calls in time, eight tasks each; what is alike from call to call is alike in all tasks."""
    if name == "alike":
        return None
    (found,) = predict_maximum([drawn(name, random, (500, 8))], [64])
    return _holds((found.low, found.high), _true_maximum(name))
