"""Environment modules: Lmod's and the Tcl ones."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from leadline.site.mpi.candidate import Candidate, candidates_in
from leadline.site.mpi.source import Places, module_command

_MPI = re.compile(
    r"(^|[/_-])(open-?mpi|mpich\w*|mvapich\w*|impi|intel-?mpi|mpi|hpcx)([-/_.\d]|$)", re.I
)
_BOOKKEEPING = re.compile(r"_|LMOD|MODULE|LOADEDMODULES|BASH_FUNC|SHLVL$|PWD$|OLDPWD$|MANPATH$")
_PATIENCE_S = 30
_MOST_MODULES = 40


class Modules:
    """Each module whose name sounds like an MPI is loaded in a shell of its own."""

    name = "module"
    order = 40

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


SOURCE = Modules()
