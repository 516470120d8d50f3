"""Figures of given launches, and figures that another program printed."""

import msgspec
import numpy as np

from leadline.analysis.stats.launches import estimate
from leadline.model.summary import PointSummary


def figure(launches, size=8, **changes) -> PointSummary:
    """Make the figure of these launches' medians, in seconds."""
    median, interval, method = estimate([np.array([value]) for value in launches])
    clean = PointSummary(
        benchmark="family/thing",
        series="time",
        axes={"bytes": size, "way": "plain"},
        settings={"cache": "warm"},
        bytes=size,
        processes=2,
        nodes=1,
        processes_per_node=2,
        mpi="first",
        launches=len(launches),
        samples=100,
        excluded=0,
        median_s=median,
        ci95_low_s=interval and interval.low,
        ci95_high_s=interval and interval.high,
        ci95_method=method,
        p90_s=median,
        p99_s=median,
        max_s=median,
        min_s=median,
        mean_s=median,
        bandwidth_MBps=None,
        verified=True,
        stopped_by="",
        oversubscribed=False,
        launch_medians_s=tuple(launches),
        within_launch_precision=0.01,
    )
    return msgspec.structs.replace(clean, **changes)


def imported(seconds, **changes) -> PointSummary:
    """Make a figure that another program printed."""
    nothing = dict.fromkeys(("ci95_low_s", "ci95_high_s", "p90_s", "p99_s", "max_s", "min_s"))
    return figure([seconds], samples=0, statistic="mean", **nothing, **changes)
