"""Discovery: a new thing is a new file, and no list names it."""

import importlib
import importlib.util
import pkgutil
from collections.abc import Iterable, Iterator
from typing import Any


def modules_of(package: str) -> Iterator[str]:
    """Yield the full names of the modules in `package`, sorted, without importing them."""
    path = importlib.import_module(package).__path__
    yield from sorted(f"{package}.{module.name}" for module in pkgutil.iter_modules(path))


def plugins(package: str, attribute: str) -> list[Any]:
    """Return the object called `attribute` of each module in `package` that has one.

    Modules are visited in the order of their names.
    """
    return _attributes(modules_of(package), attribute)


def plugins_of_folders(package: str, module: str, attribute: str) -> list[Any]:
    """Return `attribute` of the file `module` of each folder of `package` that has it, by name."""
    files = (f"{folder}.{module}" for folder in modules_of(package))
    return _attributes((name for name in files if _is_there(name)), attribute)


def _attributes(names: Iterable[str], attribute: str) -> list[Any]:
    found = (importlib.import_module(name) for name in names)
    return [getattr(module, attribute) for module in found if hasattr(module, attribute)]


def _is_there(name: str) -> bool:
    folder = importlib.import_module(name.rpartition(".")[0])
    return hasattr(folder, "__path__") and importlib.util.find_spec(name) is not None
