"""Python's packages: each lists its files in `RECORD`, also those outside `site-packages`."""

import csv
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from leadline.site.software.host import Host, real_path
from leadline.site.software.owner import Package

_PACKAGES = ("lib/python3*/site-packages", "lib64/python3*/site-packages")


class Wheel:
    """Of an environment all packages are looked at, once."""

    order = 30

    def find(self, files: Sequence[Path], here: Host) -> dict[Path, Package]:
        """Return the packages of the files."""
        found = {}
        for file in files:
            for folder in _folders(file):
                if package := _read_records(folder).get(str(file)):
                    found[file] = package
                    break
        return found


def _folders(file: Path) -> Iterator[Path]:
    """Yield the `site-packages` around the file, and those of the environment that it is in."""
    for folder in file.parents:
        if folder.name in ("site-packages", "dist-packages"):
            yield folder
        elif (folder / "pyvenv.cfg").is_file():
            for pattern in _PACKAGES:
                yield from sorted(folder.glob(pattern))


@cache
def _read_records(folder: Path) -> dict[str, Package]:
    owned: dict[str, Package] = {}
    for record in sorted(folder.glob("*.dist-info/RECORD")):
        name, _, version = record.parent.name.removesuffix(".dist-info").rpartition("-")
        package = Package(name, version, "pip")
        with suppress(OSError, UnicodeDecodeError, csv.Error), record.open(newline="") as lines:
            paths = (row[0] for row in csv.reader(lines) if row and ".so" in row[0])
            for path in paths:
                owned[os.path.normpath(real_path(folder) / path)] = package
    return owned


OWNER = Wheel()
