"""Discovery: a new scheduler is a new folder, and no list names it."""

import importlib
import importlib.util
import pkgutil
from collections.abc import Iterator
from typing import Any


def modules_of(package: str) -> Iterator[str]:
    """Yield the full names of the modules in `package`, sorted, without importing them."""
    path = importlib.import_module(package).__path__
    yield from sorted(f"{package}.{module.name}" for module in pkgutil.iter_modules(path))


def plugins_of_folders(package: str, module: str, attribute: str) -> list[Any]:
    """Return `attribute` of the file `module` of each folder of `package` that has it, by name."""
    found = []
    for folder in modules_of(package):
        name = f"{folder}.{module}"
        is_folder = hasattr(importlib.import_module(folder), "__path__")
        if is_folder and importlib.util.find_spec(name):
            found.append(getattr(importlib.import_module(name), attribute, None))
    return [each for each in found if each is not None]
