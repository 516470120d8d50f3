"""A compiler wrapper that may belong to an MPI, and the programs that belong to it."""

import os
import re
import shlex
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import msgspec

from leadline.core.processes import ask
from leadline.model.installation import Installation
from leadline.site.mpi.library_words import macros_of_library

_WRAPPER = re.compile(r"mpicc([.-][\w-]+)?|smpicc")
_DEFINE = re.compile(r'^\s*#\s*define\s+(\w+)\s+"?([^"\s]+)"?', re.MULTILINE)
_PATIENCE_S = 20
_DEBIANS = sysconfig.get_config_var("MULTIARCH") or "lib"
# Names of MPI libraries, those that state their ABI first.
LIBRARIES = ("libmpi.so.40", "libmpi.so.12", "libmpich.so.12", "libmpi.so", "libmpich.so")


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A wrapper called `mpicc`, `mpicc` with a suffix, or `smpicc`, where a source found it.

    `environment` holds what must be set for it to work, as an environment module sets it.
    """

    wrapper: Path
    source: str
    environment: dict[str, str] = {}

    @property
    def prefix(self) -> Path:
        """The folder above the one that holds the programs."""
        return self.wrapper.parent.parent

    @property
    def suffix(self) -> str:
        """What follows `mpicc` in the wrapper's name, such as `.openmpi` on Debian."""
        return self.wrapper.name.partition("mpicc")[2]

    def program(self, *names: str) -> str | None:
        """Return the path of the first of `names` beside the wrapper that has its suffix.

        Programs with another suffix, or with none, may be of another MPI in the same folder.
        """
        paths = (self.wrapper.with_name(name + self.suffix) for name in names)
        return next((str(path) for path in paths if executable(path)), None)

    def variable(self, name: str) -> str:
        """Return the value of an environment variable as this candidate's programs see it."""
        return self.environment.get(name, os.environ.get(name, ""))

    def ask(self, *argv: str) -> str:
        """Return what a program prints, or nothing where it fails or does not end."""
        result = ask(argv, _PATIENCE_S, {**os.environ, **self.environment})
        return "" if result.status else result.output

    def information(self, name: str, *arguments: str) -> str:
        """Return what the program `name` says of its library, with the suffix or without it.

        It may be of another MPI in the same folder: compare the version that it prints.
        """
        return self.ask(self.program(name) or str(self.wrapper.with_name(name)), *arguments)

    def macros(self) -> dict[str, str]:
        """Return the macros that this MPI's own `mpi.h` defines, which say whose it is.

        The header is read and not compiled, so that a machine without a compiler still learns
        what it has. Where there is none, the library is asked.
        """
        command = self._command()
        folder = self._headers(command)
        if folder is None:
            library = self._library(command)
            environment = {**os.environ, **self.environment}
            return macros_of_library(library, environment) if library else {}
        return dict(_DEFINE.findall((folder / "mpi.h").read_text(errors="replace")))

    def installation(
        self,
        family: str,
        version: str,
        *,
        built: dict[str, str] | None = None,
        environment: dict[str, str] | None = None,
        **programs: str | None,
    ) -> Installation:
        """Return the installation of this wrapper, with the programs that go with it."""
        usual = {
            "mpicc": str(self.wrapper),
            "mpicxx": self.program("mpicxx", "mpic++", "mpiCC"),
            "mpiexec": self.program("mpiexec", "mpirun", "mpiexec.hydra"),
        }
        command = self._command()
        headers, library = self._headers(command), self._library(command)
        macros = self.macros()
        standard = [macros[each] for each in ("MPI_VERSION", "MPI_SUBVERSION") if each in macros]
        return Installation(
            name=f"{family}-{version}",
            family=family,
            version=version,
            prefix=str(self.prefix),
            source=self.source,
            headers=str(headers) if headers else None,
            library=str(library) if library else None,
            standard=".".join(standard),
            built={key: value for key, value in (built or {}).items() if value},
            environment={**self.environment, **(environment or {})},
            **{**usual, **programs},
        )

    def _command(self) -> list[str]:
        """Return the words of the command that the wrapper runs, without a program to compile."""
        return shell_words(self.ask(str(self.wrapper), "-show"))

    def _headers(self, command: list[str]) -> Path | None:
        """Return the folder of the `mpi.h` that the wrapper compiles with."""
        folders = (*map(Path, _values(command, "-I")), self.prefix / "include")
        return next((folder for folder in folders if (folder / "mpi.h").is_file()), None)

    def _library(self, command: list[str]) -> Path | None:
        """Return the MPI library that programs of the wrapper load.

        Its name has the number of the ABI where it is one that leadline knows.
        """
        linked = _values(command, "-l")
        own = [self.prefix / name for name in ("lib", "lib64", f"lib/{_DEBIANS}")]
        for folder in (*map(Path, _values(command, "-L")), *own):
            for name in LIBRARIES:
                stem = name.partition(".so")[0]
                if stem.removeprefix("lib") in linked and (folder / name).is_file():
                    return folder / name
        return None


def _values(command: list[str], option: str) -> list[str]:
    """Return what follows an option, such as -L, in the words of a command."""
    return [word.removeprefix(option) for word in command if word.startswith(option)]


def shell_words(text: str) -> list[str]:
    """Return the words of a command; none where a shell would not understand it."""
    try:
        return shlex.split(text)
    except ValueError:
        return []


def executable(path: Path) -> bool:
    """Tell whether `path` is a program that can be started."""
    try:
        return path.is_file() and os.access(path, os.X_OK)
    except OSError:
        return False


def candidates_in(
    folder: Path, source: str, environment: dict[str, str] | None = None
) -> Iterator[Candidate]:
    """Yield the wrappers in `folder`, each by the name under which it will stay."""
    for path in [*sorted(folder.glob("mpicc*")), folder / "smpicc"]:
        if _WRAPPER.fullmatch(path.name) and executable(path):
            yield Candidate(wrapper=lasting(path), source=source, environment=environment or {})


def lasting(path: Path, name: re.Pattern[str] = _WRAPPER) -> Path:
    """Follow links from `path` to the last one with such a name.

    A plain `mpicc` may be a link that an administrator turns to another MPI; a wrapper in turn
    may be a link to a program that serves many names and looks at its own.
    """
    last = path
    visited = {path}
    while path.is_symlink():
        path = path.parent / path.readlink()
        if path in visited:
            break
        visited.add(path)
        if name.fullmatch(path.name):
            last = path
    return last.parent.resolve() / last.name
