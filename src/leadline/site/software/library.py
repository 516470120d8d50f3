"""Libraries that are here already and have what a kernel does: variants with nothing to build."""

import importlib.metadata
import importlib.util
import os
import re
import site
import sys
import sysconfig
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import msgspec

from leadline.core.processes import ask
from leadline.site.mpi.discovery import numbered
from leadline.site.programs import Answers

_PATIENCE_S = 10.0
_VERSION = re.compile(r"\d+(?:\.\d+)+")
# Asked in a process of its own: a library may do anything when it is loaded.
_ASK = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
for name in sys.argv[2:]:
    if hasattr(library, name):
        ask, text = getattr(library, name), ctypes.create_string_buffer(200)
        ask.restype = ctypes.c_char_p if not name.endswith("string") else None
        print(ask(text, 200) or text.value)
        break
"""


class Library(msgspec.Struct, frozen=True, kw_only=True):
    """A library found, as a variant: `ready/SHIM.c` calls what is in the file `path`.

    The shim is compiled with `definitions`. `lacking` says why it cannot be used after all.
    """

    name: str
    shim: str
    path: Path
    definitions: dict[str, str] = {}
    lacking: str = ""


class Folders(msgspec.Struct, frozen=True, kw_only=True):
    """Where libraries may be, in the order in which they are looked for."""

    paths: tuple[Path, ...]
    environment: dict[str, str]

    @classmethod
    def here(cls) -> "Folders":
        """Return those of this process: variables, this interpreter's, and the loader's own."""
        environment = dict(os.environ)
        variables = environment.get("LD_LIBRARY_PATH", "").split(":")
        roots = [
            environment[name]
            for name in ("MKLROOT", "ARMPL_DIR", "AOCL_ROOT")
            if environment.get(name)
        ]
        packages = [Path(folder) for folder in site.getsitepackages()]
        system = [folder for folder in _loader_folders() if folder.is_dir()]
        found = [
            *(Path(folder) for folder in variables if folder),
            *(Path(root) / part for root in roots for part in ("lib", "lib/intel64")),
            Path(sys.prefix) / "lib",
            *(folder for each in packages for folder in sorted(each.glob("*.libs"))),
            *system,
            *(folder for each in system for folder in sorted(each.glob("*l[ai]s*/"))),
        ]
        unique = dict.fromkeys(folder.resolve() for folder in found if folder.is_dir())
        return cls(paths=tuple(unique), environment=environment)

    def files(self, pattern: str) -> Iterator[Path]:
        """Yield the shared libraries, links followed, of which `FOLDER/NAME` has the pattern."""
        wanted = re.compile(pattern)
        for folder in self.paths:
            for name in _names(folder):
                if wanted.search(f"{folder.name}/{name}"):
                    yield (folder / name).resolve()


class Blas(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of BLAS that is one shared library; `blas.toml` says what its fields mean."""

    name: str
    files: str
    asks: tuple[str, ...] = ()
    versioned: bool = True

    def find(self, folders: Folders) -> Iterator[Library]:
        """Yield each of its libraries, called after what distinguishes it and its version."""
        answers = Answers()
        for path in dict.fromkeys(folders.files(self.files)):
            argv = [sys.executable, "-S", "-c", _ASK, str(path), *self.asks]
            output = answers.ask(path, argv, folders.environment) if self.asks else path.name
            version = _VERSION.search(output) if self.versioned else None
            words = [_distinguish(self.name, path.parent.name), version[0] if version else ""]
            yield Library(name="-".join(filter(None, words)), shim="blas", path=path)
        answers.keep()


def _find_numpy(folders: Folders) -> Iterator[Library]:
    """Yield the NumPy of this interpreter, which must be there as a shared library.

    It is called as its users call it, with the interpreter in between.
    """
    spec = importlib.util.find_spec("numpy")
    if spec is None or spec.origin is None:
        return
    python = f"libpython{sysconfig.get_python_version()}.so"
    expected = Path(str(sysconfig.get_config_var("LIBDIR"))) / python
    everywhere = (folder / file for folder in folders.paths for file in (python, f"{python}.1"))
    path = next((file for file in (expected, *everywhere) if file.exists()), None)
    yield Library(
        name=f"numpy-{importlib.metadata.version('numpy')}",
        shim="numpy",
        path=(path or expected).resolve(),
        definitions={"LEADLINE_PACKAGES": str(Path(spec.origin).parents[1])},
        lacking="" if path else f"the interpreter is no shared library ({python})",
    )


def find_libraries(shims: Iterable[str], folders: Folders | None = None) -> dict[str, Library]:
    """Return the libraries here for which there is one of the `shims`, by name."""
    there = folders or Folders.here()
    wanted = set(shims)
    # By the names of what is looked for.
    finders = {"numpy": _find_numpy, **{name: kind.find for name, kind in _blas_kinds().items()}}
    libraries: dict[str, Library] = {}
    seen: set[Path] = set()
    for library in (each for name in sorted(finders) for each in finders[name](there)):
        if library.shim in wanted and library.path not in seen:
            seen.add(library.path)
            name = next(name for name in numbered(library.name) if name not in libraries)
            libraries[name] = msgspec.structs.replace(library, name=name)
    return libraries


@cache
def _blas_kinds() -> dict[str, Blas]:
    table = tomllib.loads(Path(__file__).with_name("blas.toml").read_text())
    return {name: msgspec.convert({"name": name, **kind}, Blas) for name, kind in table.items()}


@cache
def _loader_folders() -> tuple[Path, ...]:
    """Return the folders of the loader's cache, then the usual ones."""
    results = (ask([program, "-p"], _PATIENCE_S) for program in ("/sbin/ldconfig", "ldconfig"))
    listed = next((each.output for each in results if not each.status), "")
    known = [Path(file).parent for file in re.findall(r"=> (/.+)$", listed, re.M)]
    usual = ("/usr/lib64", "/usr/lib", "/usr/local/lib")
    return tuple(dict.fromkeys([*known, *map(Path, usual)]))


def _names(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in os.scandir(folder) if ".so" in entry.name)
    except OSError:
        return []


def _distinguish(name: str, folder: str) -> str:
    """Return the name with what its folder adds to it.

    >>> _distinguish("openblas", "openblas-pthread"), _distinguish("openblas", "numpy.libs")
    ('openblas-pthread', 'openblas-numpy')
    >>> _distinguish("openblas", "lib")
    'openblas'
    """
    if folder.startswith(name):
        return folder
    return f"{name}-{folder.removesuffix('.libs')}" if folder.endswith(".libs") else name
