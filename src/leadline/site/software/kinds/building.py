"""What builds programs: compilers of all versions, and the tools beside them."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from leadline.model.software import Item
from leadline.site.mpi.candidate import executable
from leadline.site.software.compiler import Compiler, Language, drivers, programs_on
from leadline.site.software.compiler import kinds as known_compilers
from leadline.site.software.host import Host, real_path
from leadline.site.software.kinds import COMPILER, TOOL

# Where vendors and distributions put compilers that are not on the PATH.
_FOLDERS = (
    "opt/*/bin",
    "opt/AMD/aocc*/bin",
    "opt/arm/*/bin",
    "opt/cray/pe/cce/*/bin",
    "opt/intel/oneapi/compiler/*/bin",
    "opt/nvidia/hpc_sdk/Linux_*/*/compilers/bin",
    "opt/rh/*/root/usr/bin",
    "usr/lib/llvm-*/bin",
    "usr/lib64/llvm*/bin",
    "usr/local/*/bin",
)
# What scripts and makefiles call without saying whose it is.
_PROGRAMS = ("cc", "c++", "CC", "f77", "f95", "fc", "ftn")
_VARIABLES = ("CC", "CXX", "FC", "F77", "F90")


# A compiler's name, version and program.
_Key = tuple[str, str, Path]


class _Drivers(msgspec.Struct, frozen=True):
    kind: Compiler
    programs: Mapping[Language, str]

    @property
    def first(self) -> str:
        return next(iter(self.programs.values()))


def find_compilers(here: Host) -> Iterator[Item]:
    """Yield the compilers, with the words for which each is the default.

    A compiler has the name of its kind: `gcc` for GNU's C and C++, `gfortran` for its Fortran. Of
    one version in one place there is one item, however many names lead there.
    """
    there = list(_all_drivers(here))
    defaults = _defaults(here)
    paths = [str(path) for path in (*(each.first for each in there), *defaults.values())]
    here.ask_all([path, "--version"] for path in dict.fromkeys(paths))
    items: dict[_Key, Item] = {}
    for each in there:
        version = _version(each.kind, here.ask(each.first, "--version"))
        key = (each.kind.name, version, real_path(each.first))
        if version and key not in items:
            items[key] = _item(here, each, version)
    for word, path in defaults.items():
        key = _find_key(here, path, items)
        if key not in items:
            items[key] = Item(kind=COMPILER, name=key[0], version=key[1], path=str(path))
            if not key[1]:
                here.remark(f"{path} does not say which compiler it is")
        why = here.why(path)
        if word.startswith("$"):
            why = f"variable {word[1:]}={here.environment[word[1:]]}"
        items[key] = with_default(items[key], {word: why})
    yield from items.values()


def with_default(item: Item, words: Mapping[str, str]) -> Item:
    """Return the item as the default for these words as well."""
    return msgspec.structs.replace(item, default_for={**item.default_for, **words})


def _all_drivers(here: Host) -> Iterator[_Drivers]:
    elsewhere = (folder for each in _FOLDERS for folder in sorted(here.root.glob(each)))
    for folder in dict.fromkeys((*here.folders(), *elsewhere)):
        programs = programs_on(str(folder))
        for kind in known_compilers().values():
            for found in drivers(kind, programs):
                yield _Drivers(kind, found)


def _version(kind: Compiler, output: str) -> str:
    match = re.search(kind.version, output, re.MULTILINE)
    return match[1] if match else ""


def _item(here: Host, found: _Drivers, version: str) -> Item:
    first = Path(found.first)
    started = here.which(first.name)
    detail = {str(language): program for language, program in found.programs.items()}
    if first.parent not in here.folders():
        detail["hidden"] = "not on PATH"
    elif started and real_path(started) != real_path(first):
        detail["hidden"] = f"behind {started} on PATH"
    return Item(
        kind=COMPILER, name=found.kind.name, version=version, path=str(first), detail=detail
    )


def _defaults(here: Host) -> dict[str, Path]:
    words = {name: name for name in _PROGRAMS}
    for name in _VARIABLES:
        # A value may be a compiler with options, or behind ccache.
        value = [word for word in here.environment.get(name, "").split() if word != "ccache"]
        if value:
            words[f"${name}"] = value[0]
    found = {word: here.which(name) for word, name in words.items()}
    return {word: path for word, path in found.items() if path}


def _find_key(here: Host, path: Path, items: Mapping[_Key, Item]) -> _Key:
    """Return the key of the compiler that `path` starts.

    It is the one to which the links lead; for a wrapper, as Cray's, the one that answers.
    """
    real = real_path(path)
    for key, item in items.items():
        if any(real_path(program) == real for program in item.detail.values()):
            return key
    output = here.ask(str(path), "--version")
    for kind in known_compilers().values():
        if version := _version(kind, output):
            same = (key for key in items if key[:2] == (kind.name, version))
            return next(same, (kind.name, version, real))
    return (path.name, "", real)


class _Tool(NamedTuple):
    """Programs of these names, and of those `also` in use, say their version as `version` has it.

    The default is told of `programs`.
    """

    name: str
    programs: tuple[str, ...]
    also: tuple[str, ...] = ()
    version: str = r"(\d+(?:\.\d+)+)"


_TOOLS = (
    _Tool("CMake", ("cmake",), ("cmake3",)),
    _Tool("make", ("make",), ("gmake",)),
    _Tool("Ninja", ("ninja",), ("ninja-build",)),
    _Tool("binutils", ("ld",), ("ld.bfd",), r"^GNU ld .* (\d+(?:\.\d+)+)"),
    _Tool("LLD", ("ld.lld",)),
    _Tool("Python", ("python3", "python"), version=r"^Python (\S+)"),
    _Tool("pkg-config", ("pkg-config",), ("pkgconf",)),
    _Tool("CUDA", ("nvcc",), version=r"release [\d.]+, V(\d+(?:\.\d+)+)"),
    _Tool("HIP", ("hipcc",), version=r"HIP version: (\d+(?:\.\d+)+)"),
)


def find_tools(here: Host) -> Iterator[Item]:
    """Yield the tools of each folder of the PATH; the one that a shell starts is the default.

    Several names for one in the same folder are one item.
    """
    there = list(_programs(here))
    here.ask_all([str(path), "--version"] for tool, path in there)
    items: dict[_Key, Item] = {}
    for tool, path in there:
        match = re.search(tool.version, here.ask(str(path), "--version"), re.MULTILINE)
        if not match:
            continue
        key = (tool.name, match[1], real_path(path).parent)
        item = items.get(key) or Item(kind=TOOL, name=tool.name, version=match[1], path=str(path))
        first = here.which(path.name) == path and path.name in tool.programs
        items[key] = with_default(item, {path.name: here.why(path)} if first else {})
    yield from items.values()


def _programs(here: Host) -> Iterator[tuple[_Tool, Path]]:
    for tool in _TOOLS:
        for folder in here.folders():
            for name in (*tool.programs, *tool.also):
                if executable(folder / name):
                    yield tool, folder / name
