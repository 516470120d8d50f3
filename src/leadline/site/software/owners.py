"""Whose a file is: the packages of a system, of Python, of Spack, of conda."""

import csv
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from leadline.site.software.host import Host, real_path


class Package(NamedTuple):
    """A package by its name and version, and what manages it."""

    name: str
    version: str
    manager: str


class Owner(Protocol):
    """One way to install packages."""

    def find(self, files: Sequence[Path], here: Host) -> dict[Path, Package]:
        """Return the packages of those files, which are real files, that came in one."""


class _Node(msgspec.Struct):
    name: str
    version: str
    hash: str = ""


class _Nodes(msgspec.Struct):
    nodes: list[_Node]


class _Specification(msgspec.Struct):
    spec: _Nodes


class Spack:
    """The version is told with the first letters of the hash, which says how it was built."""

    def find(self, files: Sequence[Path], here: Host) -> dict[Path, Package]:
        """Return the packages of the files."""
        found = {}
        for file in files:
            for folder in file.parents:
                with suppress(OSError, msgspec.MsgspecError):
                    text = (folder / ".spack/spec.json").read_bytes()
                    own = msgspec.json.decode(text, type=_Specification).spec.nodes[:1]
                    for node in own:
                        version = f"{node.version} {node.hash[:7]}".strip()
                        found[file] = Package(node.name, version, "spack")
                    break
        return found


class _Record(msgspec.Struct):
    name: str
    version: str
    build: str = ""
    files: list[str] = []


class Conda:
    """The version is told with the build, which names the variant."""

    def find(self, files: Sequence[Path], here: Host) -> dict[Path, Package]:
        """Return the packages of the files."""
        places = {file: _environment(file) for file in files}
        found = {}
        for environment in dict.fromkeys(filter(None, places.values())):
            inside = {
                str(file.relative_to(environment)): file
                for file, place in places.items()
                if place == environment
            }
            for record in _records(environment):
                version = f"{record.version} {record.build}".strip()
                for name in inside.keys() & set(record.files):
                    found[inside[name]] = Package(record.name, version, "conda")
        return found


def _environment(file: Path) -> Path | None:
    return next((folder for folder in file.parents if (folder / "conda-meta").is_dir()), None)


def _records(environment: Path) -> list[_Record]:
    records = []
    for path in sorted((environment / "conda-meta").glob("*.json")):
        with suppress(OSError, msgspec.MsgspecError):
            records.append(msgspec.json.decode(path.read_bytes(), type=_Record))
    return records


_PACKAGES = ("lib/python3*/site-packages", "lib64/python3*/site-packages")


class Wheel:
    """Of an environment all packages are looked at, once."""

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


class Debian:
    """`dpkg` knows files by the path that their package gave, with /usr before it or without."""

    def find(self, files: Sequence[Path], here: Host) -> dict[Path, Package]:
        """Return the packages of the files."""
        program = here.which("dpkg-query")
        if not program:
            return {}
        known_as = {str(path): file for file in files for path in (file, _without_usr(file))}
        said = here.ask(str(program), "-S", *known_as, failing=True)
        names: dict[Path, str] = {}
        for line in said.splitlines():
            # What several packages have is of the first.
            package, _, path = line.rpartition(": ")
            if path in known_as and not line.startswith("diversion "):
                names[known_as[path]] = package.split(", ")[0]
        form = "${binary:Package} ${Version}\n${Package} ${Version}\n"
        listed = here.ask(str(program), "-W", "-f", form, *dict.fromkeys(names.values()))
        versions = dict(line.split(" ", 1) for line in listed.splitlines() if " " in line)
        return {
            file: Package(name.partition(":")[0], versions.get(name, ""), "dpkg")
            for file, name in names.items()
        }


def _without_usr(file: Path) -> Path:
    return Path("/", *file.parts[2:]) if file.parts[:2] == ("/", "usr") else file


_FORM = "leadline %{NAME} %{VERSION}-%{RELEASE}\\n"


class Rpm:
    """`rpm` answers one line for each file, in their order."""

    def find(self, files: Sequence[Path], here: Host) -> dict[Path, Package]:
        """Return the packages of the files."""
        program = here.which("rpm")
        if not program:
            return {}
        found = {}
        for file in files:
            said = here.ask(str(program), "-qf", "--qf", _FORM, str(file)).splitlines()
            words = said[0].split() if said else []
            if len(words) == 3 and words[0] == "leadline":
                found[file] = Package(words[1], words[2], "rpm")
        return found


# The first who knows a file is right.
OWNERS: tuple[Owner, ...] = (Spack(), Conda(), Wheel(), Debian(), Rpm())


def packages(files: Sequence[Path], here: Host) -> dict[Path, Package]:
    """Return the package of each file that came in one."""
    found: dict[Path, Package] = {}
    for owner in OWNERS:
        if rest := [file for file in files if file not in found]:
            found |= owner.find(rest, here)
    return found
