"""The places where MPI installations are found."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

import msgspec

from leadline.core import paths
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


class Source(Protocol):
    """One kind of place where installations are."""

    name: str

    def watched(self, places: Places) -> Iterable[Path]:
        """Return the folders and files whose change may mean that there is something new."""

    def candidates(self, places: Places) -> Iterator[Candidate]:
        """Yield the wrappers found."""


def module_command(environment: Mapping[str, str]) -> str | None:
    """Return the program behind `module`, which is a function of each shell; None without one."""
    for variable in ("LMOD_CMD", "MODULES_CMD"):
        if environment.get(variable):
            return environment[variable]
    home = environment.get("MODULESHOME")
    beside = os.pathsep.join(str(Path(home) / part) for part in ("bin", "libexec")) if home else ""
    search = os.pathsep.join(filter(None, (beside, environment.get("PATH", ""))))
    return shutil.which("modulecmd", path=search) or shutil.which("modulecmd.tcl", path=search)


class Own:
    """A wheel beside leadline. A system's own prefix does not count: see the search path."""

    name = "leadline's environment"

    def watched(self, places: Places) -> list[Path]:
        """Return the environment's programs."""
        system = {places.root / "usr", places.root / "usr/local"}
        return [] if places.own in system else [places.own / "bin"]

    def candidates(self, places: Places) -> Iterator[Candidate]:
        """Yield the wrappers in the environment."""
        for folder in self.watched(places):
            yield from candidates_in(folder, self.name)


class Installed:
    """Environments in leadline's home; a name with a dot in front is one not finished."""

    name = "leadline mpi install"

    def watched(self, places: Places) -> list[Path]:
        """Return the programs of each environment."""
        return sorted(places.installed.glob("[!.]*/bin"))

    def candidates(self, places: Places) -> Iterator[Candidate]:
        """Yield the wrappers of each environment."""
        for folder in self.watched(places):
            yield from candidates_in(folder, self.name)


class SearchPath:
    """Every wrapper in every folder of PATH, not only the one that a shell would start."""

    name = "PATH"

    def watched(self, places: Places) -> list[Path]:
        """Return the folders of PATH."""
        return places.folders("PATH")

    def candidates(self, places: Places) -> Iterator[Candidate]:
        """Yield the wrappers in the order of PATH."""
        for folder in self.watched(places):
            yield from candidates_in(folder, self.name)


_MPI = re.compile(
    r"(^|[/_-])(open-?mpi|mpich\w*|mvapich\w*|impi|intel-?mpi|mpi|hpcx)([-/_.\d]|$)", re.I
)
_BOOKKEEPING = re.compile(r"_|LMOD|MODULE|LOADEDMODULES|BASH_FUNC|SHLVL$|PWD$|OLDPWD$|MANPATH$")
_PATIENCE_S = 30
_MOST_MODULES = 40


class Modules:
    """Each module whose name sounds like an MPI is loaded in a shell of its own."""

    name = "module"

    def watched(self, places: Places) -> list[Path]:
        """Return the module folders and those in them that sound like an MPI."""
        folders = places.folders("MODULEPATH") if module_command(places.environment) else []
        return folders + sorted(
            path
            for folder in folders
            if folder.is_dir()
            for path in folder.iterdir()
            if path.is_dir() and _MPI.search(path.name)
        )

    def candidates(self, places: Places) -> Iterator[Candidate]:
        """Yield the wrappers that a module adds, each with what its module sets."""
        command = module_command(places.environment)
        if not command or not places.folders("MODULEPATH"):
            return
        for module in _available(command, places)[:_MOST_MODULES]:
            loaded = _read_variables(command, module, places)
            path = loaded.get("PATH", "").split(":")
            known = set(map(str, places.folders("PATH")))
            for folder in dict.fromkeys(item for item in path if item and item not in known):
                yield from candidates_in(Path(folder), f"{self.name} {module}", loaded)


def _available(command: str, places: Places) -> list[str]:
    """Return the names of the modules that sound like an MPI: `avail` prints on stderr."""
    said = _run([command, "bash", "-t", "avail"], places, subprocess.STDOUT)
    words = (line.split("(")[0].strip() for line in said.splitlines())
    names = (word for word in words if word and not word.endswith((":", "/")))
    return [name for name in dict.fromkeys(names) if _MPI.search(name)]


def _read_variables(command: str, module: str, places: Places) -> dict[str, str]:
    """Return the variables that loading `module` adds or changes."""
    script = 'eval "$("$0" bash load "$1" 2>/dev/null)" && exec env -0'
    said = _run(["bash", "-c", script, command, module], places, subprocess.DEVNULL)
    pairs = (item.partition("=") for item in said.split("\0"))
    return {
        name: value
        for name, _, value in pairs
        if name and not _BOOKKEEPING.match(name) and places.environment.get(name) != value
    }


def _run(argv: list[str], places: Places, stderr: int) -> str:
    try:
        answer = subprocess.run(
            argv,
            env=places.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            timeout=_PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout.decode(errors="replace")


_FOLDERS = (
    "opt/*/bin",
    "opt/*/*/bin",
    "opt/intel/oneapi/mpi/*/bin",
    "opt/cray/pe/mpich/*/*/*/*/bin",
    "usr/lib64/*/bin",
    "usr/lib/*/bin",
    "usr/local/*/bin",
)


class Prefixes:
    """The usual prefixes of Red Hat, SUSE, Intel, Cray and of builds by hand."""

    name = "usual folders"

    def watched(self, places: Places) -> list[Path]:
        """Return those that exist: a new one is seen because the list is then another."""
        return sorted({path for pattern in _FOLDERS for path in places.root.glob(pattern)})

    def candidates(self, places: Places) -> Iterator[Candidate]:
        """Yield the wrappers in them."""
        for folder in self.watched(places):
            yield from candidates_in(folder, self.name)


# Of wrappers found twice, the first source keeps it.
SOURCES: tuple[Source, ...] = (Own(), Installed(), SearchPath(), Modules(), Prefixes())
