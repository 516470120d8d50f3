"""BLAS and LAPACK: the libraries that are here, and which one a program gets that names none."""

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from leadline.model.software import Item
from leadline.site.software.host import Host, chosen_alternative, real_path
from leadline.site.software.library import find_libraries
from leadline.site.software.owners import packages

# What programs load, and what -lblas and -llapack link.
_FILES = {
    "libblas.so.3": "libblas.so.3",
    "liblapack.so.3": "liblapack.so.3",
    "-lblas": "libblas.so",
    "-llapack": "liblapack.so",
}
_PACKAGES = ("blas", "lapack", "openblas", "blis", "mkl-dynamic-lp64-seq")


class Blas:
    """The kernels' libraries, and the default of each word by the loader's own cache."""

    name = "BLAS"
    order = 40

    def find(self, here: Host) -> Iterator[Item]:
        """Yield the libraries, with the words for which each is the default."""
        items = {
            each.path: _item(each.name, each.path) for each in find_libraries(["blas"]).values()
        }
        for word, (path, why) in (_defaults(here) | _packages(here)).items():
            found = _behind(path, items)
            items[Path(found.path)] = msgspec.structs.replace(
                found, default_for={**found.default_for, word: why}
            )
        unknown = [path for path, item in items.items() if not item.version]
        for path, package in packages(unknown, here).items():
            items[path] = msgspec.structs.replace(items[path], version=package.version)
        yield from items.values()


def _item(name: str, path: Path) -> Item:
    # A second one of the same name and version has a number behind.
    match = re.fullmatch(r"(.*?)(?:-(\d+(?:\.\d+)+))?(?:-\d+)?", name)
    name, version = (match[1], match[2] or "") if match else (name, "")
    return Item(kind=Blas.name, name=name, version=version, path=str(path))


def _behind(path: Path, items: dict[Path, Item]) -> Item:
    """Return the item of a library by its file, or by its folder: interfaces lie beside it."""
    real = real_path(path)
    if real in items:
        return items[real]
    beside = (item for file, item in items.items() if file.parent == real.parent)
    only = list(beside) if re.match(r"lib(blas|lapack)", real.name) else []
    if len(only) == 1:
        return only[0]
    version = re.search(r"\.so\.(\d+(?:\.\d+)+)$", real.name)
    return Item(
        kind=Blas.name,
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
        own = next((Path(each) / file for each in folders if (Path(each) / file).exists()), None)
        if own:
            found[word] = own, variable
        elif file in cache:
            path = cache[file]
            chosen = chosen_alternative(path, here.root)
            found[word] = path, f"first in the loader's cache{f'; {chosen}' if chosen else ''}"
    return found


def _cache(here: Host) -> dict[str, Path]:
    """Return the loader's cache; of several files of a name it takes the first."""
    listed = here.ask("/sbin/ldconfig", "-p") or here.ask("ldconfig", "-p")
    found: dict[str, Path] = {}
    for name, path in re.findall(r"^\s*(\S+) \(.*\) => (/.*)$", listed, re.MULTILINE):
        found.setdefault(name, Path(path))
    return found


def _packages(here: Host) -> dict[str, tuple[Path, str]]:
    """Return the libraries to which pkg-config leads."""
    program = here.which("pkg-config")
    if not program:
        return {}
    asked = {name: [str(program), "--variable=libdir", name] for name in _PACKAGES}
    here.ask_all(asked.values())
    found = {}
    for name, argv in asked.items():
        folder = Path(here.ask(*argv).strip() or "/nowhere")
        files = (folder / f"lib{each}.so" for each in (name, "mkl_rt"))
        if file := next((each for each in files if each.exists()), None):
            found[f"pkg-config {name}"] = file, f"its libdir is {folder}"
    return found


KIND = Blas()
