"""What programs tell of themselves beside their times, as metrics whose names rules know."""

from leadline.model.summary import PointSummary

# The metric that says how much work all processes do together, in any unit: equal numbers are
# equal work.
WORK = "problem_size"
# What part of a figure's time is communication.
_COMMUNICATION = "communication_percent"


def communication_fraction(point: PointSummary) -> float | None:
    """Return what part of the time is communication, 0 to 1, where the benchmark tells it."""
    share = point.metrics.get(_COMMUNICATION)
    return None if share is None else share / 100
