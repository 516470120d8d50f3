"""Sources of MPI installations: the interface of `mpi/sources`, and the places they look in."""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Protocol

import msgspec

from leadline.core import paths
from leadline.core.plugins import plugins
from leadline.site.mpi.candidate import Candidate


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
    """One kind of place. Of wrappers found twice, the source with the lower `order` keeps it."""

    name: str
    order: int

    def watched(self, places: Places) -> Iterable[Path]:
        """Return the folders and files whose change may mean that there is something new."""

    def candidates(self, places: Places) -> Iterator[Candidate]:
        """Yield the wrappers found."""


@cache
def sources() -> tuple[Source, ...]:
    """Return every source, in the order in which they are asked."""
    found: list[Source] = plugins("leadline.site.mpi.sources", "SOURCE")
    return tuple(sorted(found, key=lambda source: source.order))


def module_command(environment: Mapping[str, str]) -> str | None:
    """Return the program behind `module`, which is a function of each shell; None without one."""
    for variable in ("LMOD_CMD", "MODULES_CMD"):
        if environment.get(variable):
            return environment[variable]
    home = environment.get("MODULESHOME")
    beside = os.pathsep.join(str(Path(home) / part) for part in ("bin", "libexec")) if home else ""
    search = os.pathsep.join(filter(None, (beside, environment.get("PATH", ""))))
    return shutil.which("modulecmd", path=search) or shutil.which("modulecmd.tcl", path=search)
