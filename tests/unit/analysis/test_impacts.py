"""Impact factors of samples whose factors are known beforehand."""

import msgspec
import numpy as np
import pytest
import run_parts as parts

from leadline.analysis.compare.impact import impacts
from leadline.analysis.samples import analyse_samples
from leadline.model.plan import Entry, Plan
from leadline.model.run import PointResult

ALONE = {"neighbour": "none", "spacer": 0, "neighbour_bytes": 0}
BESIDE = {"neighbour": "flood", "spacer": 0, "neighbour_bytes": 0}
APART = {"neighbour": "flood", "spacer": 2, "neighbour_bytes": 0}
# What a launch takes all its times by: what launches differ in cancels out.
LAUNCHES = (1.0, 3.0, 1.1, 0.7, 1.4, 2.0)
METRICS = {"neighbour_bytes_per_s": 5e6}


class Source:
    """Times of each point in each launch, drawn once and moved by known factors."""

    def __init__(self, factors, samples, tails):
        self.factors, self.samples, self.tails = factors, samples, tails

    def columns(self, point):
        rows = []
        for launch, luck in enumerate(LAUNCHES):
            times = 1e-6 * (1 + 0.1 * np.random.default_rng(launch).random(self.samples))
            times[: self.samples // 50] *= self.tails[point]
            rows.append(luck * self.factors[point] * np.random.default_rng(9).permutation(times))
        count = len(LAUNCHES) * self.samples
        zeros = np.zeros(count, dtype=int)
        return {
            "launch": np.repeat(np.arange(len(LAUNCHES)), self.samples),
            "repetition": np.tile(np.arange(self.samples), len(LAUNCHES)),
            "rank": zeros,
            "peer": zeros - 1,
            "batch": zeros + 1,
            "series": zeros,
            "flags": zeros,
            "seconds": np.concatenate(rows),
        }


def found(conditions, factors, samples=3000, tails=(1, 1, 1), verified=True):
    points = [
        parts.point(index, 2, 1, benchmark="test/ping", settings=settings)
        for index, settings in enumerate(conditions)
    ]
    results = tuple(
        PointResult(point=index, verified=verified, metrics=METRICS if index else {})
        for index in range(len(points))
    )
    run = parts.run(
        plan=Plan(entries=(Entry(benchmarks=("test/ping",)),), victims=2),
        benchmarks=[parts.benchmark("test/ping")],
        points=points,
        launches=[parts.launch(number, 5, 1, points=results) for number in range(len(LAUNCHES))],
    )
    source = Source(factors, samples, tails)
    results = analyse_samples(run, source)
    return impacts(run, results.points, results.tails)


def test_the_factor_is_taken_launch_by_launch():
    beside, apart = found([ALONE, BESIDE, APART], (1.0, 2.0, 1.02))
    assert (beside.alone, beside.disturbed, beside.neighbour, beside.spacer) == (0, 1, "flood", 0)
    assert beside.median_ratio == pytest.approx(2.0)
    # Launches differ by a factor of 4, which would drown it were they not paired.
    assert beside.median_low == pytest.approx(2.0) and beside.median_high == pytest.approx(2.0)
    assert beside.p99_ratio == pytest.approx(2.0)
    assert beside.neighbour_MBps == pytest.approx(5.0)
    assert (apart.alone, apart.spacer) == (0, 2)
    assert apart.median_ratio == pytest.approx(1.02)


def test_a_tail_that_grows_alone_shows_in_the_percentile_alone():
    (beside,) = found([ALONE, BESIDE], (1.0, 1.0), tails=(1, 7))
    assert beside.median_ratio == pytest.approx(1.0, abs=0.01)
    assert beside.p99_ratio == pytest.approx(7.0, rel=0.1)
    assert beside.p99_low <= 7.0 * 1.1 and beside.p99_high >= 7.0 * 0.9


def test_few_samples_have_no_interval_of_the_percentile():
    (beside,) = found([ALONE, BESIDE], (1.0, 3.0), samples=60)
    assert beside.median_ratio == pytest.approx(3.0)
    assert beside.p99_ratio == pytest.approx(3.0, rel=0.1)
    assert beside.p99_low is None and beside.p99_high is None


def test_nothing_is_said_without_the_victim_alone():
    assert found([BESIDE, APART], (2.0, 1.0)) == ()


def test_nothing_is_said_of_what_delivers_wrong_data():
    assert found([ALONE, BESIDE], (1.0, 2.0), verified=False) == ()


def test_another_condition_is_another_victim():
    cold = [{**each, "cache": "cold"} for each in (ALONE, BESIDE)]
    both = found([*({**each, "cache": "warm"} for each in (ALONE, BESIDE)), *cold], (1, 2, 10, 40),
                 tails=(1, 1, 1, 1))  # fmt: skip
    assert [(each.alone, each.disturbed) for each in both] == [(0, 1), (2, 3)]
    assert [each.median_ratio for each in both] == pytest.approx([2.0, 4.0])
    assert msgspec.json.encode(both)
