"""MPI, OpenSHMEM and BLAS: what is here, and which one a program gets that names none."""

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from leadline.model.installation import Installation
from leadline.model.software import Item
from leadline.site.mpi.candidate import lasting
from leadline.site.software.host import Host, chosen_alternative, real_path
from leadline.site.software.kinds import BLAS, MPI, OPENSHMEM
from leadline.site.software.kinds.building import with_default
from leadline.site.software.library import find_libraries
from leadline.site.software.owners import packages

_PROGRAM = re.compile(r"(mpi|osh)[\w+]+([.-][\w-]+)?")
_MPI_PROGRAMS = ("mpicc", "mpicxx", "mpiexec", "mpirun")


def find_mpi(here: Host) -> Iterator[Item]:
    """Yield the installations, with the words for which each is the default.

    The default of a word is the installation whose program the shell starts.
    """
    words = programs_of(here, here.installations, _MPI_PROGRAMS)
    chosen = here.chosen_installation
    for each in here.installations:
        default = {"leadline": "`leadline mpi default`"} if each.name == chosen else {}
        network = {name: text for name, text in each.built.items() if name == "network"}
        yield Item(
            kind=MPI,
            name=each.family,
            version=each.version,
            path=each.mpicc or each.prefix,
            detail={"called": each.name, "found in": each.source, **network},
            default_for={**default, **words.get(each.name, {})},
        )


def programs_of(
    here: Host, installations: list[Installation], names: tuple[str, ...]
) -> dict[str, dict[str, str]]:
    """Return the words that mean each installation, by its name, and why."""
    programs = {
        key: each.name
        for each in reversed(installations)
        for program in (each.mpicc, each.mpicxx, each.mpiexec, each.oshcc, each.oshrun)
        if program
        for key in _keys(Path(program))
    }
    words: dict[str, dict[str, str]] = {}
    for name in names:
        started = here.which(name)
        keys = _keys(started) if started else ()
        owner = next((programs[key] for key in keys if key in programs), None)
        if started and owner:
            words.setdefault(owner, {})[name] = here.why(started)
    return words


def _keys(program: Path) -> tuple[tuple[Path, str], ...]:
    """Return what programs of one installation share: the folder and the suffix of their names.

    The program itself comes first, since in a folder without suffixes there may be several MPIs.
    Links are followed to the last such name: all may lead on to one program that serves all names.
    """
    last = lasting(program, _PROGRAM)
    return (last.parent, last.name), (last.parent, last.suffix)


_OPENSHMEM_PROGRAMS = ("oshcc", "oshrun")


def find_openshmem(here: Host) -> Iterator[Item]:
    """Yield the installations that have an `oshcc`."""
    installations = [each for each in here.installations if "shmem" in each.apis]
    words = programs_of(here, installations, _OPENSHMEM_PROGRAMS)
    for each in installations:
        yield Item(
            kind=OPENSHMEM,
            name=each.family,
            version=each.version,
            path=each.oshcc or "",
            default_for=words.get(each.name, {}),
        )


# What programs load, and what -lblas and -llapack link.
_FILES = {
    "libblas.so.3": "libblas.so.3",
    "liblapack.so.3": "liblapack.so.3",
    "-lblas": "libblas.so",
    "-llapack": "liblapack.so",
}
_PACKAGES = ("blas", "lapack", "openblas", "blis", "mkl-dynamic-lp64-seq")


def find_blas(here: Host) -> Iterator[Item]:
    """Yield the kernels' libraries, with the words for which each is the default.

    The default is by the loader's own cache, or by pkg-config.
    """
    items = {each.path: _item(each.name, each.path) for each in find_libraries(["blas"]).values()}
    for word, (path, why) in (_defaults(here) | _packages(here)).items():
        item = _behind(path, items)
        items[Path(item.path)] = with_default(item, {word: why})
    unknown = [path for path, item in items.items() if not item.version]
    for path, package in packages(unknown, here).items():
        items[path] = msgspec.structs.replace(items[path], version=package.version)
    yield from items.values()


def _item(name: str, path: Path) -> Item:
    # A second one of the same name and version has a number behind.
    match = re.fullmatch(r"(.*?)(?:-(\d+(?:\.\d+)+))?(?:-\d+)?", name)
    name, version = (match[1], match[2] or "") if match else (name, "")
    return Item(kind=BLAS, name=name, version=version, path=str(path))


def _behind(path: Path, items: dict[Path, Item]) -> Item:
    real = real_path(path)
    if real in items:
        return items[real]
    beside = (item for file, item in items.items() if file.parent == real.parent)
    only = list(beside) if re.match(r"lib(blas|lapack)", real.name) else []
    if len(only) == 1:
        return only[0]
    version = re.search(r"\.so\.(\d+(?:\.\d+)+)$", real.name)
    return Item(
        kind=BLAS,
        name=re.sub(r"^lib|\.so.*$", "", real.name),
        version=version[1] if version else "",
        path=str(real),
    )


def _defaults(here: Host) -> dict[str, tuple[Path, str]]:
    cache = _cache(here)
    found = {}
    for word, file in _FILES.items():
        variable = "LIBRARY_PATH" if word.startswith("-l") else "LD_LIBRARY_PATH"
        folders = filter(None, here.environment.get(variable, "").split(":"))
        path = next((Path(each) / file for each in folders if (Path(each) / file).exists()), None)
        if path:
            found[word] = path, variable
        elif file in cache:
            path = cache[file]
            chosen = chosen_alternative(path, here.root)
            found[word] = path, f"first in the loader's cache{f'; {chosen}' if chosen else ''}"
    return found


def _cache(here: Host) -> dict[str, Path]:
    listed = here.ask("/sbin/ldconfig", "-p") or here.ask("ldconfig", "-p")
    found: dict[str, Path] = {}
    for name, path in re.findall(r"^\s*(\S+) \(.*\) => (/.*)$", listed, re.MULTILINE):
        found.setdefault(name, Path(path))
    return found


def _packages(here: Host) -> dict[str, tuple[Path, str]]:
    program = here.which("pkg-config")
    if not program:
        return {}
    queries = {name: [str(program), "--variable=libdir", name] for name in _PACKAGES}
    here.ask_all(queries.values())
    found = {}
    for name, argv in queries.items():
        folder = Path(here.ask(*argv).strip() or "/nowhere")
        files = (folder / f"lib{each}.so" for each in (name, "mkl_rt"))
        if file := next((each for each in files if each.exists()), None):
            found[f"pkg-config {name}"] = file, f"its libdir is {folder}"
    return found
