"""What runs beside a figure, as its conditions say it: the names that stages share."""

from collections.abc import Mapping

from leadline.model.plan import Value

NEIGHBOUR, SPACER, NEIGHBOUR_BYTES = "neighbour", "spacer", "neighbour_bytes"
NONE = "none"

# The knob that puts a second job beside a launch, and its value without one.
BESIDE = "beside"
NO_JOB = "default"

CONDITIONS = (NEIGHBOUR, SPACER, NEIGHBOUR_BYTES, BESIDE)


def disturbed(conditions: Mapping[str, Value]) -> bool:
    """Tell whether something runs beside what these are the conditions of."""
    return bool(disturbance(conditions))


def disturbance(conditions: Mapping[str, Value]) -> str:
    """Return what runs beside, such as `incast` or `incast (second job)`; empty where nothing."""
    neighbour = str(conditions.get(NEIGHBOUR, NONE))
    job = str(conditions.get(BESIDE, NO_JOB))
    both = (neighbour if neighbour != NONE else "", f"{job} (second job)" if job != NO_JOB else "")
    return " and ".join(filter(None, both))
