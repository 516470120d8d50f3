"""What an import holds, in a few lines."""

from __future__ import annotations

from leadline.core.units import format_bytes
from leadline.model.imported import Import
from leadline.model.summary import PointSummary


def contents(imported: Import) -> list[tuple[str, str, str, str, str, int]]:
    """Return a row for each series of each benchmark: what it is, where, sizes, and how many."""
    groups: dict[tuple[str, str], list[PointSummary]] = {}
    for figure in imported.figures:
        groups.setdefault((figure.benchmark, figure.series), []).append(figure)
    return [
        (benchmark, series, _statistics(own), _places(own), _sizes(own), len(own))
        for (benchmark, series), own in groups.items()
    ]


def _statistics(figures: list[PointSummary]) -> str:
    return ", ".join(dict.fromkeys(one.statistic for one in figures))


def _places(figures: list[PointSummary]) -> str:
    return ", ".join(dict.fromkeys(f"{one.nodes}x{one.processes_per_node}" for one in figures))


def _sizes(figures: list[PointSummary]) -> str:
    sizes = sorted({one.bytes for one in figures if one.bytes is not None})
    if len(sizes) < 2:
        return format_bytes(sizes[0]) if sizes else ""
    return f"{format_bytes(sizes[0])} to {format_bytes(sizes[-1])}"
