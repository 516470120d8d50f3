"""Discovery: a new thing is a new file, and no list names it."""

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any


def modules_of(package: str) -> Iterator[str]:
    """Yield the full names of the modules in `package`, sorted, without importing them."""
    path = importlib.import_module(package).__path__
    yield from sorted(f"{package}.{module.name}" for module in pkgutil.iter_modules(path))


def plugins(package: str, attribute: str) -> list[Any]:
    """Return the object called `attribute` of each module in `package` that has one.

    Modules are visited in the order of their names.
    """
    found = (importlib.import_module(name) for name in modules_of(package))
    return [getattr(module, attribute) for module in found if hasattr(module, attribute)]
