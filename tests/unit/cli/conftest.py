"""Run folders with figures and no samples, made without any probe."""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest
from figures import bare

from leadline.model.imported import Import
from leadline.model.plan import Entry, Plan
from leadline.model.run import Outcome, Run
from leadline.model.summary import PointSummary
from leadline.store.folder import RunFolder


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return tmp_path / "runs"


@pytest.fixture
def stored(runs: Path) -> Callable[..., str]:
    """Store figures as a run of its own, and return its name."""

    def store(figures: Sequence[PointSummary], **changes) -> str:
        folder = RunFolder.create(runs, "figures")
        clean = Run(
            run=folder.name,
            leadline="0",
            plan=Plan(entries=(Entry(benchmarks=("family/thing",)),)),
            started="2026-01-02T03:04:05+00:00",
            outcome=Outcome(state="complete"),
            imported=Import(program="made up", files=(), figures=tuple(figures)),
        )
        folder.write(msgspec.structs.replace(clean, **changes))
        folder.close()
        return folder.name

    return store


@pytest.fixture
def curve() -> Callable[..., list[PointSummary]]:
    """Make a curve over sizes, `factor` times as slow, of ten launches with some scatter."""

    def make(factor: float = 1.0, sizes: Sequence[int] = (8, 65536), **changes):
        return [_scattered(factor * size * 1e-9, size, **changes) for size in sizes]

    return make


def _scattered(seconds: float, size: int, **changes) -> PointSummary:
    medians = [seconds * (1 + 0.003 * (number * 7 % 10 - 4.5)) for number in range(10)]
    measured = {
        "mpi": "first-1.0", "launches": 10, "samples": 100, "bandwidth_MBps": None,
        "launch_medians_s": tuple(medians), "within_launch_precision": 0.01, "stopped_by": "",
        "ci95_low_s": 0.99 * seconds, "ci95_high_s": 1.01 * seconds,
    }  # fmt: skip
    return bare(seconds, size, **(measured | changes))
