"""Samples whose right figures are known beforehand."""

import json
import math

import msgspec
import numpy as np
import pytest
from example_platform import machine
from sample_rows import LATE, PREEMPTED, WRONG, Samples, good, make_run

from leadline.analysis.results.summary import repetitions, summarise
from leadline.core.errors import UserError
from leadline.model.platform import Noise
from leadline.model.run import PointResult, RankPlace


def test_a_repetition_takes_the_slowest_rank_and_a_point_the_median_of_launches() -> None:
    rows = [
        (launch, repetition, rank, 0, 0, 1e-6 * (launch + 1) * (repetition + 1 + rank))
        for launch in range(3)
        for rank in (1, 0)
        for repetition in range(3)
    ]
    (figure,) = summarise(make_run(good(), good(), good()), Samples({0: rows}))
    # Slowest ranks: 2, 3, 4 us times the launch's number.
    assert figure.launch_medians_s == pytest.approx((3e-6, 6e-6, 9e-6))
    assert figure.median_s == pytest.approx(6e-6)
    assert (figure.launches, figure.samples, figure.excluded) == (3, 9, 0)
    assert figure.min_s == pytest.approx(2e-6) and figure.max_s == pytest.approx(12e-6)
    assert figure.mean_s == pytest.approx(6e-6)
    assert figure.bandwidth_MBps == pytest.approx(128 / 6)
    assert figure.ci95_low_s < figure.median_s < figure.ci95_high_s
    assert figure.verified and figure.bytes == 64 and figure.series == "first"


@pytest.mark.parametrize("noise", [Noise(), Noise(latency=0.5)])
def test_a_simulated_figure_is_exact_unless_noise_disturbs_messages(noise) -> None:
    platform = msgspec.structs.replace(machine({"kind": "crossbar"}, 2), noise=noise)
    rows = [(0, r, rank, 0, 0, 1e-6 * (1 + r % 3)) for r in range(30) for rank in (0, 1)]
    (figure,) = summarise(
        msgspec.structs.replace(make_run(good()), platform=platform), Samples({0: rows})
    )
    assert figure.simulated
    exact = (figure.ci95_low_s, figure.ci95_high_s) == (figure.median_s, figure.median_s)
    assert exact == (not noise.disturbs)


def test_a_repetition_with_an_excluded_sample_goes_whole_in_every_series() -> None:
    rows = [(0, r, rank, s, 0, 1.0) for r in range(10) for rank in (0, 1) for s in (0, 1)]
    rows[0] = (0, 0, 0, 0, LATE, 9.0)
    rows[9] = (0, 2, 0, 1, WRONG | PREEMPTED, 9.0)
    rows[12] = (0, 3, 0, 0, PREEMPTED, 2.0)
    first, second = summarise(make_run(good()), Samples({0: rows}))
    assert (first.samples, first.excluded) == (second.samples, second.excluded) == (8, 2)
    assert first.max_s == 2.0 and second.max_s == 1.0
    assert first.flags == {"late_start": 1, "preempted": 1}
    assert second.flags == {"failed_verification": 1, "preempted": 1}


def test_a_number_that_is_none_is_excluded() -> None:
    rows = [(0, r, 0, 0, 0, math.nan if r == 4 else 1.0) for r in range(10)]
    (figure,) = summarise(make_run(good()), Samples({0: rows}))
    assert (figure.samples, figure.excluded) == (9, 1)
    assert "NaN" not in json.dumps(msgspec.to_builtins(figure), allow_nan=False)


def test_points_without_usable_samples_are_left_out() -> None:
    rows = {1: [(0, 0, 0, 0, LATE, 1.0)], 2: [(0, 0, 0, 1, 0, 1.0)]}
    (figure,) = summarise(make_run(good(point=2), points=3), Samples(rows))
    assert figure.series == "second"


def test_verified_needs_every_launch() -> None:
    rows = [(launch, r, 0, 0, 0, 1.0) for launch in (0, 1) for r in range(6)]

    def verified(*results: PointResult) -> bool:
        return summarise(make_run(*results), Samples({0: rows}))[0].verified

    assert verified(good(), good())
    assert not verified(good(), good(verified=False))
    assert not verified(good())


def test_what_launches_report_is_joined() -> None:
    rows = [(launch, r, 0, 0, 0, 1.0) for launch in range(3) for r in range(6)]
    run = make_run(
        good(metrics={"rate_per_s": 1.0}, stopped_by="seconds"),
        good(metrics={"rate_per_s": 5.0}, stopped_by="maximum"),
        good(metrics={"rate_per_s": 2.0}, stopped_by="seconds", moved_bytes=0.0),
        oversubscribed=True,
    )
    (figure,) = summarise(run, Samples({0: rows}))
    assert figure.metrics == {"rate_per_s": 2.0}
    assert figure.stopped_by == "seconds" and figure.oversubscribed
    (silent,) = summarise(make_run(good(moved_bytes=None)), Samples({0: rows[:6]}))
    assert silent.bandwidth_MBps is None


def test_a_number_named_after_a_series_is_of_that_series() -> None:
    rows = [(0, r, 0, series, 0, 1.0) for r in range(6) for series in (0, 1)]
    run = make_run(good(metrics={"steps": 3.0, "first.share_percent": 7.0, "second.kind": 1.0}))
    first, second = summarise(run, Samples({0: rows}))
    assert first.metrics == {"steps": 3.0, "share_percent": 7.0}
    assert second.metrics == {"steps": 3.0, "kind": 1.0}


def test_figures_of_misplaced_ranks_are_marked() -> None:
    rows = [(launch, r, 0, 0, 0, 1.0) for launch in range(2) for r in range(6)]

    def marked(*hosts: int) -> bool:
        ranks = tuple(
            RankPlace(rank=rank, host="h", node=node, cpus="0", cpu=0, pid=1)
            for rank, node in enumerate(hosts)
        )
        shape = {"processes": 2, "nodes": 2, "processes_per_node": 1}
        run = make_run(good(), good())
        run.launches[1] = msgspec.structs.replace(run.launches[1], ranks=ranks, **shape)
        return summarise(run, Samples({0: rows}))[0].misplaced

    assert not marked(0, 1)
    assert marked(0, 0)


def test_within_launch_precision_does_not_see_the_scatter_between_launches() -> None:
    random = np.random.default_rng(1)
    rows = [
        (launch, r, 0, 0, 0, level * random.normal(1.0, 0.01))
        for launch, level in enumerate((1.0, 2.0, 4.0))
        for r in range(100)
    ]
    (figure,) = summarise(make_run(good(), good(), good()), Samples({0: rows}))
    assert 0 < figure.within_launch_precision < 0.01
    assert figure.ci95_high_s / figure.ci95_low_s > 4


def test_a_benchmark_nobody_described_is_one_line() -> None:
    run = make_run(good())
    run.benchmarks = []
    with pytest.raises(UserError, match="family/thing"):
        summarise(run, Samples({0: [(0, 0, 0, 0, 0, 1.0)]}))


def test_repetitions_keep_the_order_of_measurement_within_a_launch() -> None:
    rows = [(launch, r, 0, 0, 0, 10.0 * launch + r) for launch in (1, 0) for r in (2, 0, 1)]
    found = repetitions(Samples({0: rows}).columns(0), 0)[0]
    assert found.seconds.tolist() == [0, 1, 2, 10, 11, 12]
    assert found.launch.tolist() == [0, 0, 0, 1, 1, 1]


def test_message_rate_is_messages_over_the_median() -> None:
    rows = [(0, r, 0, 0, 0, 4e-6) for r in range(6)]
    (figure,) = summarise(make_run(good(messages=8.0)), Samples({0: rows}))
    assert figure.message_rate_per_s == pytest.approx(2e6)
    (silent,) = summarise(make_run(good()), Samples({0: rows}))
    assert silent.message_rate_per_s is None
