"""Whose a file is: the packages of a system, of Python, of Spack, of conda."""

import csv
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from leadline.site.software.host import Host, real_path


class Package(NamedTuple):
    """A package by its name and version, and what manages it."""

    name: str
    version: str
    manager: str


Owned = dict[Path, Package]


class _Node(msgspec.Struct):
    name: str
    version: str
    hash: str = ""


class _Nodes(msgspec.Struct):
    nodes: list[_Node]


class _Specification(msgspec.Struct):
    spec: _Nodes


def _spack(files: Sequence[Path], here: Host) -> Owned:
    """Return the version with the first letters of the hash, which says how it was built."""
    owned: Owned = {}
    for file in files:
        for folder in file.parents:
            with suppress(OSError, msgspec.MsgspecError):
                text = (folder / ".spack/spec.json").read_bytes()
                for node in msgspec.json.decode(text, type=_Specification).spec.nodes[:1]:
                    version = f"{node.version} {node.hash[:7]}".strip()
                    owned[file] = Package(node.name, version, "spack")
                break
    return owned


class _Record(msgspec.Struct):
    name: str
    version: str
    build: str = ""
    files: list[str] = []


def _conda(files: Sequence[Path], here: Host) -> Owned:
    """Return the version with the build, which names the variant."""
    environments: dict[Path, dict[str, Path]] = {}
    for file in files:
        for folder in file.parents:
            if (folder / "conda-meta").is_dir():
                environments.setdefault(folder, {})[str(file.relative_to(folder))] = file
                break
    owned: Owned = {}
    for folder, inside in environments.items():
        for path in sorted((folder / "conda-meta").glob("*.json")):
            with suppress(OSError, msgspec.MsgspecError):
                record = msgspec.json.decode(path.read_bytes(), type=_Record)
                version = f"{record.version} {record.build}".strip()
                for name in inside.keys() & set(record.files):
                    owned[inside[name]] = Package(record.name, version, "conda")
    return owned


_PACKAGES = ("lib/python3*/site-packages", "lib64/python3*/site-packages")


def _wheels(files: Sequence[Path], here: Host) -> Owned:
    """Return the wheels; of an environment all packages are looked at, once."""
    packages = {
        file: (_read_records(folder).get(str(file)) for folder in _folders(file)) for file in files
    }
    first = {file: next(filter(None, known), None) for file, known in packages.items()}
    return {file: package for file, package in first.items() if package}


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


def _debian(files: Sequence[Path], here: Host) -> Owned:
    """Return the packages by `dpkg`, which knows files with /usr before their path or without."""
    program = here.which("dpkg-query")
    if not program:
        return {}
    known_as = {str(path): file for file in files for path in (file, _without_usr(file))}
    output = here.ask(str(program), "-S", *known_as, failing=True)
    names: dict[Path, str] = {}
    for line in output.splitlines():
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


def rpm(files: Sequence[Path], here: Host) -> Owned:
    """Return the packages that `rpm` names: one line for each file."""
    program = here.which("rpm")
    owned: Owned = {}
    for file in files if program else ():
        output = here.ask(str(program), "-qf", "--qf", _FORM, str(file))
        words = output.partition("\n")[0].split()
        if len(words) == 3 and words[0] == "leadline":
            owned[file] = Package(words[1], words[2], "rpm")
    return owned


# The first who knows a file is right.
OWNERS: tuple[Callable[[Sequence[Path], Host], Owned], ...] = (
    _spack,
    _conda,
    _wheels,
    _debian,
    rpm,
)


def packages(files: Sequence[Path], here: Host) -> Owned:
    """Return the package of each file that came in one."""
    owned: Owned = {}
    for owner in OWNERS:
        if rest := [file for file in files if file not in owned]:
            owned |= owner(rest, here)
    return owned
