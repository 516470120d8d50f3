"""Runs that are clean until a test makes something wrong with them."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import figures
import msgspec
import pytest
from checkout import CHECKOUT
from plain_findings import plain_words

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.limits import bounds_of
from leadline.analysis.results.sweep import sweeps
from leadline.analysis.samples import analyse_samples
from leadline.exchange.imports.collect import import_files
from leadline.model.description import Axis, Benchmark, Processes, Series
from leadline.model.noise import Noise
from leadline.model.placement import Placement
from leadline.model.plan import Entry, Plan, Point, Stopping
from leadline.model.run import Clock, Launch, Outcome, PointResult, Run
from leadline.model.summary import Jitter, PassedDelay, PointSummary, PredictedMaximum, RankJitter

Make = Callable[..., Evidence]

BENCHMARK = Benchmark(
    name="family/thing",
    summary="",
    axes=(
        Axis(name="bytes", kind="bytes", summary="", default="8"),
        Axis(name="way", kind="choice", summary="", default="plain", choices=("plain", "clever")),
    ),
    processes=Processes(),
    series=(Series(name="time", definition=""),),
    api="mpi",
    start="",
    sizes=("join", "split", "pad"),
)


@pytest.fixture
def figure() -> Callable[..., PointSummary]:
    """Make a clean figure of `median_s` seconds at `size` bytes, with `changes`."""
    return figures.figure


@pytest.fixture
def curve() -> Callable[..., list[PointSummary]]:
    """Make clean figures at 1 B to 4 MiB of a time that is a function of the size."""

    def make(seconds: Callable[[int], float], **changes: Any) -> list[PointSummary]:
        return [figures.figure(seconds(2**p), 2**p, **changes) for p in range(23)]

    return make


@pytest.fixture
def evidence() -> Make:
    """Make a complete run of these figures; `result` and `launch` change what launches say."""

    def make(
        figures: Iterable[PointSummary],
        result: dict[str, Any] | None = None,
        launch: dict[str, Any] | None = None,
        plan: dict[str, Any] | None = None,
        **run: Any,
    ) -> Evidence:
        points = tuple(
            msgspec.structs.replace(figure, point=index, series_index=0)
            for index, figure in enumerate(figures)
        )
        visited = [
            Point(
                index=index,
                benchmark=point.benchmark,
                axes=point.axes,
                settings=point.settings,
                placement=Placement(point.nodes, point.processes_per_node),
                mpi=point.mpi,
                api="mpi",
            )
            for index, point in enumerate(points)
        ]
        reported = tuple(
            msgspec.structs.replace(
                PointResult(point=index, batch=10, verified=True), **(result or {})
            )
            for index in range(len(points))
        )
        clean = Launch(
            launch=0,
            mpi="first",
            api="mpi",
            argv=(),
            environment={},
            processes=2,
            nodes=1,
            processes_per_node=2,
            oversubscribed=False,
            started="",
            ended="",
            outcome=Outcome(state="complete"),
            clock=Clock(
                source="tsc",
                resolution_s=1e-9,
                overhead_s=2e-8,
                harness_in_figure_s=2e-8,
                harness_per_sample_s=1e-7,
                sync_error_s=0.0,
                shared=True,
            ),
            points=reported,
        )
        whole = Run(
            run="run",
            leadline="0",
            plan=msgspec.structs.replace(
                Plan(entries=(Entry(benchmarks=("family/thing",)),), stopping=Stopping()),
                **(plan or {}),
            ),
            started="",
            outcome=Outcome(state="complete"),
            load_during={"busy_fraction": 0.02, "stolen_fraction": 0.0},
            doctor=[{"name": "governor", "status": "ok", "observed": "", "meaning": ""}],
            benchmarks=[BENCHMARK],
            points=visited,
            launches=[
                msgspec.structs.replace(clean, **({"launch": number} | (launch or {})))
                for number in range(3)
            ],
        )
        return Evidence(
            run=msgspec.structs.replace(whole, **run), points=points, sweeps=sweeps(points)
        )

    return make


@pytest.fixture
def jitter() -> Callable[..., Jitter]:
    """Make the jitter of figure 0: rank 1 loses its core, and rank 0 waits for it."""

    def make(**changes: Any) -> Jitter:
        clean = Jitter(
            point=0,
            tasks=2,
            calls=1000,
            average_s=12e-6,
            maximum_s=20e-6,
            maximum_over_average=20 / 12,
            ci95_low=1.6,
            ci95_high=1.7,
            single_s=10e-6,
            all_tasks_s=21e-6,
            average_GBps=1.2,
            maximum_GBps=0.8,
            outliers=30,
            excess_fraction=0.2,
            causes={"preempted": 0.9, "network": 0.08, "migrated": 0.02},
            passed_on_fraction=0.4,
            longest_chain=1,
            ranks=(
                RankJitter(
                    rank=1,
                    suffered_fraction=0.5,
                    caused_fraction=0.95,
                    causes={"preempted": 0.88, "network": 0.05, "migrated": 0.02},
                ),
                RankJitter(
                    rank=0,
                    suffered_fraction=0.5,
                    caused_fraction=0.05,
                    causes={"preempted": 0.02, "network": 0.03},
                ),
            ),
            passed=(PassedDelay(rank=0, from_rank=1, cause="preempted", fraction=0.38),),
            independent_maximum_s=20.5e-6,
            independent=True,
            predictions=tuple(
                PredictedMaximum(
                    tasks=2 * 2**power,
                    maximum_s=20e-6 * 1.2**power,
                    ci95_low_s=18e-6 * 1.2**power,
                    ci95_high_s=23e-6 * 1.2**power,
                )
                for power in range(1, 11)
            ),
        )
        return msgspec.structs.replace(clean, **changes)

    return make


class Recorded(msgspec.Struct):
    """A run as it was measured, without its samples: `recorded/NAME.json`."""

    run: Run
    points: tuple[PointSummary, ...]
    jitter: tuple[Jitter, ...] = ()
    noise: tuple[Noise, ...] = ()


class Makers(NamedTuple):
    """What examples of findings make their evidence with: invented figures or real ones."""

    evidence: Make
    figure: Callable[..., PointSummary]
    curve: Callable[..., list[PointSummary]]
    jitter: Callable[..., Jitter]

    @staticmethod
    def imported(path: str) -> Evidence:
        """Return what a file of the checkout gives, such as `datasets/waseda-networks.csv`."""
        run = import_files([CHECKOUT / path])
        points = analyse_samples(run, _NoSamples()).points
        return Evidence(
            run=run, points=points, sweeps=sweeps(points, run.benchmarks), bounds=bounds_of(run)
        )

    @staticmethod
    def recorded(name: str) -> Evidence:
        """Return a run that was measured and recorded here."""
        path = Path(__file__).parent / "recorded" / f"{name}.json"
        kept = msgspec.json.decode(path.read_bytes(), type=Recorded)
        return Evidence(
            run=kept.run,
            points=kept.points,
            sweeps=sweeps(kept.points, kept.run.benchmarks),
            jitter=kept.jitter,
            noise=kept.noise,
            bounds=bounds_of(kept.run),
        )


class _NoSamples:
    def columns(self, point: int) -> Any:
        raise LookupError


@pytest.fixture
def makers(evidence: Make, figure: Any, curve: Any, jitter: Any) -> Makers:
    """What an example needs."""
    return Makers(evidence, figure, curve, jitter)
