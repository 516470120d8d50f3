"""The host that is asked for its software: programs, and why a shell starts which."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from threading import Lock

from leadline.core.errors import UserError
from leadline.core.processes import ask
from leadline.model.installation import Installation
from leadline.site.mpi.candidate import executable
from leadline.site.mpi.choice import default_installation
from leadline.site.mpi.discovery import find_installations
from leadline.site.mpi.sources import module_command

PATIENCE_S = 3.0
_MODES = {"auto": "automatic", "manual": "manual"}
_AT_ONCE = 8


class Host:
    """A machine as a process with these variables sees it; `root` is where its files begin, and
    programs are started in `cwd`.
    """

    def __init__(
        self,
        environment: dict[str, str] | None = None,
        root: Path = Path("/"),
        cwd: Path | None = None,
    ) -> None:
        self.environment = dict(os.environ if environment is None else environment)
        self.root = root
        self.cwd = cwd
        self.remarks: list[str] = []
        self._lock = Lock()
        self._outputs: dict[tuple[str, ...], str] = {}

    def without(self, *names: str) -> Host:
        """Return the machine as a process without these variables sees it."""
        rest = {name: text for name, text in self.environment.items() if name not in names}
        return Host(rest, self.root, self.cwd)

    def remark(self, text: str) -> None:
        """Note one line on what could not be asked, each only once."""
        with self._lock:
            if text not in self.remarks:
                self.remarks.append(text)

    def folders(self) -> list[Path]:
        """Return the folders of PATH, each once."""
        items = self.environment.get("PATH", "").split(":")
        return [Path(item) for item in dict.fromkeys(items) if item]

    def which(self, name: str) -> Path | None:
        """Return the program that a shell starts for `name`."""
        places = (folder / name for folder in self.folders())
        return next((path for path in places if executable(path)), None)

    def ask(
        self,
        *argv: str,
        patience_s: float | None = None,
        errors: bool = False,
        failing: bool = False,
    ) -> str:
        """Return the output of a program, with its `errors` on request; each command runs once.

        Empty where the program is missing or fails; with `failing` also the output of one that
        fails. One that hangs is ended, with a remark.
        """
        if argv not in self._outputs:
            status, output = self._run(argv, patience_s or PATIENCE_S, errors)
            self._outputs[argv] = output if status == 0 or failing else ""
        return self._outputs[argv]

    def ask_all(self, commands: Iterable[Sequence[str]]) -> None:
        """Ask several at once; `ask` then has their answers."""
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            list(pool.map(lambda argv: self.ask(*argv), commands))

    def why(self, program: Path) -> str:
        """Return why the shell starts this program: the module, the PATH, the alternatives."""
        folder = str(program.parent)
        module = next((name for name, words in self._modules.items() if folder in words), None)
        because = f"module {module}" if module else f"first on PATH: {folder}"
        alternative = chosen_alternative(program, self.root)
        return f"{because}; {alternative}" if alternative else because

    @cached_property
    def installations(self) -> list[Installation]:
        """The MPI installations, without leadline's fake one."""
        with self._lock:
            found = find_installations()
        return [each for each in found if each.family != "fake"]

    @property
    def chosen_installation(self) -> str:
        """The name of the one that leadline uses where none is named."""
        try:
            return default_installation().name
        except UserError:
            return ""

    @cached_property
    def _modules(self) -> dict[str, frozenset[str]]:
        command = module_command(self.environment)
        loaded = self.environment.get("LOADEDMODULES", "").split(":") if command else []
        names = [name for name in loaded if name]
        texts = {name: self.ask(str(command), "bash", "show", name, errors=True) for name in names}
        separators = str.maketrans("\"'(),:;={}", " " * 10)
        return {name: frozenset(text.translate(separators).split()) for name, text in texts.items()}

    def _run(self, argv: Sequence[str], patience_s: float, errors: bool) -> tuple[int, str]:
        variables = {**self.environment, "LC_ALL": "C"}
        result = ask(
            argv, patience_s, variables, merged=errors, folder=self.cwd, end_leftovers=True
        )
        if result.hung:
            self.remark(f"{' '.join(argv)} does not answer within {patience_s:g} s")
        return result.status, result.output


def real_path(path: Path | str) -> Path:
    """Return the file behind all links; a loop of links is what it is."""
    return Path(os.path.realpath(path))


def chosen_alternative(path: Path, root: Path = Path("/")) -> str:
    """Return how the alternatives of Debian or Red Hat lead from `path` on; empty if they do not.

    Their link is in /etc/alternatives, and their own record begins with `auto` or `manual`.
    """
    seen = set()
    while path.is_symlink() and path not in seen:
        seen.add(path)
        path = path.parent / path.readlink()
        if path.parent == root / "etc/alternatives":
            target = path.parent / path.readlink() if path.is_symlink() else path
            return f"{_mode(path.name, root)}alternatives: {target}"
    return ""


def _mode(name: str, root: Path) -> str:
    for folder in ("var/lib/dpkg/alternatives", "var/lib/alternatives"):
        try:
            with (root / folder / name).open() as record:
                return f"{_MODES.get(record.readline().strip(), '')} ".lstrip()
        except OSError:
            continue
    return ""
