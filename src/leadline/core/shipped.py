"""The sources that leadline ships, and what they register before any probe is built from them."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from leadline.core.errors import UserError

_PACKAGE = Path(__file__).resolve().parents[1]


def source_folder(start: Path = _PACKAGE) -> Path:
    """Return the folder of CMakeLists.txt and probes/ of the package at `start`.

    Raises `UserError` where there is none.
    """
    for folder in (start / "_sources", *start.parents):
        if (folder / "CMakeLists.txt").is_file() and (folder / "probes").is_dir():
            return folder
    raise UserError(
        f"the probes' sources are not with leadline in {start}: install it again, or run it from "
        "its checkout"
    )


def built_folder(start: Path = _PACKAGE) -> Path | None:
    """Return the folder of what the wheel has ready: as a home of leadline's, what is built of
    the sources beside it. None in a checkout, and where variables say how to build.
    """
    folder = start / "_built"
    own_way = any(os.environ.get(name) for name in ("CC", "CXX", "CXXFLAGS", "LDFLAGS"))
    return folder if folder.is_dir() and not own_way else None


def benchmarks(root: Path) -> list[str]:
    """Return the names of the benchmarks, FAMILY/NAME, whose sources are in the folder `root`."""
    return sorted(name for name in _names(root / "probes/benchmarks", "*/*.cpp") if "/" in name)


def congestors(root: Path) -> list[str]:
    """Return the names of the congestors whose sources are in the folder `root`."""
    return sorted(_names(root / "probes/congestors", "*.cpp"))


def aliases(root: Path) -> dict[str, dict[str, str]]:
    """Return what algorithms of each collective were called before, with their names of now.

    Their sources are in the folder `root`.
    """
    found: dict[str, dict[str, str]] = {}
    for path in (root / "algorithms").rglob("*-*.cpp"):
        collective, _, name = path.stem.partition("-")
        for listed in re.findall(r"\bAliases\{([^}]*)\}", path.read_text()):
            former = re.findall(r'"([^"]+)"', listed)
            found.setdefault(collective, {}).update(dict.fromkeys(former, name))
    return found


def _names(folder: Path, files: str) -> Iterator[str]:
    for path in folder.glob(files):
        yield from re.findall(r'\.name\s*=\s*"([^"]+)"', path.read_text())
