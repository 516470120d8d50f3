"""The places where MPI installations are found."""

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from leadline.core import paths
from leadline.core.processes import ask
from leadline.site.mpi.candidate import Candidate, candidates_in


class Places(msgspec.Struct, frozen=True, kw_only=True):
    """All of the machine that a search depends on.

    `root` is where the file system starts, `own` the environment that leadline is installed in
    and `installed` the folder where `leadline mpi install` puts its environments.
    """

    environment: dict[str, str]
    root: Path
    own: Path
    installed: Path

    @classmethod
    def here(cls) -> "Places":
        """Return the places of this process."""
        return cls(
            environment=dict(os.environ),
            root=Path("/"),
            own=Path(sys.prefix),
            installed=paths.installations(),
        )

    def folders(self, variable: str) -> list[Path]:
        """Return the folders of a variable like PATH, each once, empty items left out."""
        items = self.environment.get(variable, "").split(":")
        return [Path(item) for item in dict.fromkeys(items) if item]


class Source(NamedTuple):
    """One kind of place where installations are.

    `watched` are the folders whose change may mean that there is something new. Wrappers are in
    these, unless there is a `search` of its own.
    """

    name: str
    watched: Callable[[Places], list[Path]]
    search: Callable[[Places], Iterator[Candidate]] | None = None

    def candidates(self, places: Places) -> Iterator[Candidate]:
        """Yield the wrappers found."""
        if self.search:
            yield from self.search(places)
            return
        for folder in self.watched(places):
            yield from candidates_in(folder, self.name)


def module_command(environment: Mapping[str, str]) -> str | None:
    """Return the program behind `module`, which is a function of each shell; None without one."""
    for variable in ("LMOD_CMD", "MODULES_CMD"):
        if environment.get(variable):
            return environment[variable]
    home = environment.get("MODULESHOME")
    beside = os.pathsep.join(str(Path(home) / part) for part in ("bin", "libexec")) if home else ""
    search = os.pathsep.join(filter(None, (beside, environment.get("PATH", ""))))
    return shutil.which("modulecmd", path=search) or shutil.which("modulecmd.tcl", path=search)


def _leadline_environment(places: Places) -> list[Path]:
    """Return the programs of a wheel beside leadline; a system's own prefix is on the PATH."""
    system = {places.root / "usr", places.root / "usr/local"}
    return [] if places.own in system else [places.own / "bin"]


def _installed(places: Places) -> list[Path]:
    """Return the programs in leadline's home; a name with a dot in front is one not finished."""
    return sorted(places.installed.glob("[!.]*/bin"))


def _search_path(places: Places) -> list[Path]:
    return places.folders("PATH")


_MPI = re.compile(
    r"(^|[/_-])(open-?mpi|mpich\w*|mvapich\w*|impi|intel-?mpi|mpi|hpcx)([-/_.\d]|$)", re.I
)
_BOOKKEEPING = re.compile(r"_|LMOD|MODULE|LOADEDMODULES|BASH_FUNC|SHLVL$|PWD$|OLDPWD$|MANPATH$")
_PATIENCE_S = 30
_MOST_MODULES = 40


def _module_folders(places: Places) -> list[Path]:
    """Return the module folders and those in them that sound like an MPI."""
    folders = places.folders("MODULEPATH") if module_command(places.environment) else []
    return folders + sorted(
        path
        for folder in folders
        if folder.is_dir()
        for path in folder.iterdir()
        if path.is_dir() and _MPI.search(path.name)
    )


def _in_modules(places: Places) -> Iterator[Candidate]:
    """Yield the wrappers that a module adds, each with what its module sets.

    Each module whose name sounds like an MPI is loaded in a shell of its own.
    """
    command = module_command(places.environment)
    if not command or not places.folders("MODULEPATH"):
        return
    known = set(map(str, places.folders("PATH")))
    for module in _available(command, places)[:_MOST_MODULES]:
        loaded = _read_variables(command, module, places)
        path = loaded.get("PATH", "").split(":")
        for folder in dict.fromkeys(item for item in path if item and item not in known):
            yield from candidates_in(Path(folder), f"module {module}", loaded)


def _available(command: str, places: Places) -> list[str]:
    """Return the names of the modules that sound like an MPI: `avail` prints on stderr."""
    argv = [command, "bash", "-t", "avail"]
    result = ask(argv, _PATIENCE_S, places.environment, merged=True)
    words = (line.split("(")[0].strip() for line in result.output.splitlines())
    names = (word for word in words if word and not word.endswith((":", "/")))
    return [name for name in dict.fromkeys(names) if _MPI.search(name)]


def _read_variables(command: str, module: str, places: Places) -> dict[str, str]:
    script = 'eval "$("$0" bash load "$1" 2>/dev/null)" && exec env -0'
    argv = ["bash", "-c", script, command, module]
    result = ask(argv, _PATIENCE_S, places.environment)
    pairs = (item.partition("=") for item in result.output.split("\0"))
    return {
        name: value
        for name, _, value in pairs
        if name and not _BOOKKEEPING.match(name) and places.environment.get(name) != value
    }


_FOLDERS = (
    "opt/*/bin",
    "opt/*/*/bin",
    "opt/intel/oneapi/mpi/*/bin",
    "opt/cray/pe/mpich/*/*/*/*/bin",
    "usr/lib64/*/bin",
    "usr/lib/*/bin",
    "usr/local/*/bin",
)


def _usual_folders(places: Places) -> list[Path]:
    """Return the prefixes of Red Hat, SUSE, Intel, Cray and of builds by hand that are there."""
    return sorted({path for pattern in _FOLDERS for path in places.root.glob(pattern)})


# Of wrappers found twice, the first source keeps it.
SOURCES = (
    Source("leadline's environment", _leadline_environment),
    Source("leadline mpi install", _installed),
    Source("PATH", _search_path),
    Source("module", _module_folders, _in_modules),
    Source("usual folders", _usual_folders),
)
