"""Samples and figures for other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leadline.exchange.exports.formats import Export

_NAMES = (
    "csv",
    "figures-csv",
    "figures-json",
    "github-action-benchmark",
    "google-benchmark",
    "json",
    "lines",
    "parquet",
    "prometheus",
    "pyperf",
)


def names() -> list[str]:
    """Return the names of all formats, without importing any: rows of `formats.FORMATS`."""
    return list(_NAMES)


def export(name: str) -> Export:
    """Return the format of that name, one of `names()`."""
    from leadline.exchange.exports.formats import FORMATS

    return FORMATS[name]
