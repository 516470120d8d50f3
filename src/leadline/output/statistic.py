"""What the times of figures are, in words: those of other programs are seldom medians."""

from collections.abc import Iterable

from leadline.model.summary import PointSummary

STATISTICS = {
    "median": "medians",
    "mean": "means",
    "minimum": "minima",
    "maximum": "maxima",
    "single": "single measurements",
}


def statistics_text(points: Iterable[PointSummary]) -> str:
    """Return what these figures are, such as `medians` or `means and single measurements`."""
    return " and ".join(sorted({STATISTICS[point.statistic] for point in points}))
