"""Curves small enough to stand in a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markupsafe import Markup

_WIDTH, _HEIGHT, _MARGIN = 96, 22, 2


def sparkline(points: Sequence[tuple[float, float]]) -> Markup | str:
    """Return a drawing of values above zero against sizes, both logarithmic.

    Fewer than three sizes are no curve: for these it is empty. Those who cannot see it have the
    figures in the tables.
    """
    from markupsafe import Markup

    drawn = sorted({size: value for size, value in points if value > 0}.items())
    if len(drawn) < 3:
        return ""
    across = _scaled([math.log(1 + size) for size, _ in drawn], _WIDTH)
    upwards = _scaled([math.log(value) for _, value in drawn], _HEIGHT)
    line = " ".join(f"{x:.1f},{_HEIGHT - y:.1f}" for x, y in zip(across, upwards, strict=True))
    return Markup(
        '<svg class="spark" viewBox="0 0 {} {}" aria-hidden="true"><polyline points="{}"/></svg>'
    ).format(_WIDTH, _HEIGHT, line)


def _scaled(values: Sequence[float], length: float) -> list[float]:
    """Return the values spread over the length, but for a margin at both ends."""
    low, high = min(values), max(values)
    room = length - 2 * _MARGIN
    return [
        _MARGIN + room * ((value - low) / (high - low) if high > low else 0.5) for value in values
    ]
