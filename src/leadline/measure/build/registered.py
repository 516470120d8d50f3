"""What the sources of probes register, known before any probe is built from them."""

import re
from collections.abc import Iterator
from pathlib import Path


def benchmarks(root: Path) -> list[str]:
    """Return the names of the benchmarks, FAMILY/NAME, whose sources are in the folder `root`."""
    return sorted(name for name in _names(root / "probes/benchmarks", "*/*.cpp") if "/" in name)


def congestors(root: Path) -> list[str]:
    """Return the names of the congestors whose sources are in the folder `root`."""
    return sorted(_names(root / "probes/congestors", "*.cpp"))


def _names(folder: Path, files: str) -> Iterator[str]:
    for path in folder.glob(files):
        yield from re.findall(r'\.name\s*=\s*"([^"]+)"', path.read_text())
