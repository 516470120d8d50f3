"""Makers of figures: one clean `PointSummary`, of which a test changes what it is about."""

from typing import Any

import msgspec
import numpy as np

from leadline.analysis.stats.launches import estimate
from leadline.model.summary import PointSummary

SPREAD = ("ci95_low_s", "ci95_high_s", "p90_s", "p99_s", "max_s", "min_s", "mean_s")


def figure(median_s: float = 1e-6, size: int | None = 8, **changes: Any) -> PointSummary:
    """Make a clean figure of `median_s` seconds at `size` bytes, with `changes`.

    `way` is the value of its axis of that name; `axes` replaces all axes but the size. Everything
    that follows from the median, the size and the number of launches is made of these.
    """
    axes = changes.pop("axes", {"way": changes.pop("way", "plain")})
    launches = changes.setdefault("launches", 3)
    clean = PointSummary(
        benchmark="family/thing",
        series="time",
        axes=axes if size is None else {"bytes": size, **axes},
        settings={},
        bytes=size,
        processes=2,
        nodes=1,
        processes_per_node=2,
        mpi="first",
        launches=launches,
        samples=1000,
        excluded=0,
        median_s=median_s,
        ci95_low_s=median_s * 0.98,
        ci95_high_s=median_s * 1.02,
        ci95_method="",
        p90_s=median_s * 1.1,
        p99_s=median_s * 1.3,
        max_s=median_s * 3,
        min_s=median_s * 0.9,
        mean_s=median_s,
        bandwidth_MBps=size / median_s / 1e6 if size and median_s else None,
        verified=True,
        stopped_by="precision",
        oversubscribed=False,
        launch_medians_s=tuple(
            median_s * (1 + 0.005 * ((number % 3) - 1)) for number in range(launches)
        ),
        within_launch_precision=0.01,
    )
    return msgspec.structs.replace(clean, **changes)


def of_launches(medians_s: Any, size: int | None = 8, **changes: Any) -> PointSummary:
    """Make the figure of these launches' medians, in seconds, with the interval they give."""
    median, interval, method = estimate([np.array([value]) for value in medians_s])
    measured = {
        "launches": len(medians_s),
        "launch_medians_s": tuple(medians_s),
        "ci95_low_s": interval and interval.low,
        "ci95_high_s": interval and interval.high,
        "ci95_method": method,
    }
    return figure(median, size, **(measured | changes))


def flat(seconds: float, size: int | None = 8, **changes: Any) -> PointSummary:
    """Make a figure of which the interval, every quantile and every launch is `seconds`."""
    same = {
        **dict.fromkeys(SPREAD, seconds),
        "launch_medians_s": (seconds,) * changes.get("launches", 3),
        "within_launch_precision": 0.0,
    }
    return figure(seconds, size, **(same | changes))


def bare(seconds: float, size: int | None = 8, **changes: Any) -> PointSummary:
    """Make a figure of one launch that knows its median alone: nothing of how times spread."""
    return flat(seconds, size, **({"launches": 1} | dict.fromkeys(SPREAD) | changes))


def printed(seconds: float, size: int | None = 8, **changes: Any) -> PointSummary:
    """Make a figure that another program printed: a mean without samples."""
    mean = {"samples": 0, "statistic": "mean", "mean_s": seconds}
    return bare(seconds, size, **(mean | changes))
