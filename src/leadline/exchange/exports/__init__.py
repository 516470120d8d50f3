"""Samples and figures for other tools: one format a file in `leadline.exchange.exports.formats`."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from leadline.core.plugins import modules_of

if TYPE_CHECKING:
    from leadline.exchange.exports.format import Export

_FORMATS = "leadline.exchange.exports.formats"


def names() -> list[str]:
    """Return the names of all formats, without importing any."""
    return [name.rsplit(".", 1)[1].replace("_", "-") for name in modules_of(_FORMATS)]


def export(name: str) -> Export:
    """Return the format of that name, one of `names()`."""
    module = importlib.import_module(f"{_FORMATS}.{name.replace('-', '_')}")
    found: Export = module.EXPORT
    return found
