"""Figures of given launches, and figures that another program printed."""

from figures import SPREAD, of_launches, printed

from leadline.model.summary import PointSummary

# Every quantile is the median, and the buffers stay in the cache.
_FLAT = {"settings": {"cache": "warm"}, "samples": 100, "bandwidth_MBps": None, "stopped_by": ""}


def figure(launches, size=8, **changes) -> PointSummary:
    """Make the figure of these launches' medians, in seconds."""
    median = of_launches(launches).median_s
    flat = _FLAT | dict.fromkeys(SPREAD[2:], median)
    return of_launches(launches, size, **(flat | changes))


def imported(seconds, **changes) -> PointSummary:
    """Make a figure that another program printed."""
    return printed(seconds, **({"settings": {"cache": "warm"}, "stopped_by": ""} | changes))
