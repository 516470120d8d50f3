"""What runs beside a figure, as its settings say it: the names that stages share."""

from collections.abc import Mapping

from leadline.model.plan import Value

NEIGHBOUR, SPACER, NEIGHBOUR_BYTES = "neighbour", "spacer", "neighbour_bytes"
NONE = "none"


def disturbed(settings: Mapping[str, Value]) -> bool:
    """Tell whether something runs beside what these are the settings of."""
    return settings.get(NEIGHBOUR, NONE) != NONE
