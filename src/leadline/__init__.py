"""leadline measures, explains and tunes the communication of a parallel machine."""

from typing import Any

__version__ = "0.2.0"

# The library's face (docs/reference/library.md), typed in __init__.pyi. It is imported when it is
# used, so that commands start without it.
_FACE = {
    "Entry": "model.plan",
    "Placement": "model.placement",
    "Plan": "model.plan",
    "Stopping": "model.plan",
    "UserError": "core.errors",
    "open": "library.runs",
    "run": "library.runs",
}


def __getattr__(name: str) -> Any:
    if name not in _FACE:
        raise AttributeError(f"leadline has no {name!r}: it has {', '.join(_FACE)}")
    from importlib import import_module

    return getattr(import_module(f"leadline.{_FACE[name]}"), name)
