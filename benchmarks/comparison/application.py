"""Real programs of the standing table: how each is prepared, started, read and verified."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from comparison.ended import ended
from leadline.core.errors import UserError
from leadline.core.names import suggestion
from leadline.measure.knobs.known import with_knobs
from leadline.measure.launch.start import start_for
from leadline.model.installation import Installation
from leadline.model.job import Job
from leadline.model.placement import Placement
from leadline.site.software.dependencies import started_mpi

PROGRAMS = Path(__file__).parent / "programs"
_PATIENCE_S = 300
_RANKS = 2
# Variables of leadline's that say where things are; the others would change what is measured.
_KEPT = ("LEADLINE_HOME", "LEADLINE_LAB")


class LeftOut(Exception):
    """A program cannot run with an MPI; the text says why, and what to install."""


class Prepared(msgspec.Struct, frozen=True):
    """What is executed: words, variables, and files of the folder in which each launch runs.

    `starts_itself` is set where the words are no program of MPI but start one. There `{runtime}`
    becomes `on` or `off`.
    """

    words: tuple[str, ...]
    environment: dict[str, str] = {}
    files: dict[str, str] = {}
    starts_itself: bool = False


class Ended(NamedTuple):
    """A launch that has ended well: its output, its folder, and its time with its start."""

    output: str
    folder: Path
    wall_s: float


class Application(msgspec.Struct, frozen=True):
    """A program that users run.

    `prepare` takes the MPI and a folder to build in, and raises `LeftOut`. `read` returns the
    seconds that the program took, and raises `UserError` where its answer is wrong.
    """

    name: str
    prepare: Callable[[Installation, Path], Prepared]
    read: Callable[[Ended], float]


def chosen(text: str, known: Mapping[str, Application]) -> list[Application]:
    """Return the programs of a list of names. Raises `UserError` for another name."""
    names = [word.strip() for word in text.split(",")]
    for name in names:
        if name not in known:
            raise UserError(f"--programs {name!r}: {suggestion(name, sorted(known))}")
    return [known[name] for name in dict.fromkeys(names)]


def installed(program: str, package: str, installation: Installation) -> str:
    """Return the path of an installed program. Raises `LeftOut` where none is of this MPI."""
    path = shutil.which(program)
    if path is None:
        raise LeftOut(f"{program} not found: install {package}")
    require_built_with(path, package, installation)
    return path


def require_built_with(path: str, what: str, installation: Installation) -> None:
    """Raise `LeftOut` where the program or library at `path` loads another MPI."""
    name = started_mpi([path])[1]
    if name != installation.name:
        raise LeftOut(f"{what} is built with {name or 'an unknown MPI'}")


def execute(
    prepared: Prepared,
    installation: Installation,
    runtime: str,
    variables: Mapping[str, str],
    folder: Path,
) -> Ended:
    """Launch a program on two ranks in `folder` with the runtime `on` or `off`.

    `variables` are in the place of the runtime's usual ones. Raises `UserError` for a launch that
    fails, and where the runtime says that it does nothing.
    """
    for name, text in prepared.files.items():
        (folder / name).write_text(text)
    if prepared.starts_itself:
        argv = tuple(word.replace("{runtime}", runtime) for word in prepared.words)
        added = dict(variables)
    else:
        job = Job(program=prepared.words, placement=Placement(1, _RANKS), folder=str(folder))
        job = with_knobs(job, installation, {"runtime": runtime})
        job = msgspec.structs.replace(job, environment={**job.environment, **variables})
        start = start_for(job, installation)
        argv, added = start.argv, start.environment
        for name, text in start.files.items():
            (folder / name).write_text(text)
    usual = {k: v for k, v in os.environ.items() if not k.startswith("LEADLINE_") or k in _KEPT}
    begin = time.perf_counter()
    environment = {**usual, **added, **prepared.environment}
    done = ended(argv, environment, argv[0], _PATIENCE_S, folder)
    wall = time.perf_counter() - begin
    warned = [line for line in done.stderr.splitlines() if line.startswith("leadline: ")]
    if done.returncode != 0 or (warned and not prepared.starts_itself):
        said = warned or (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()
        raise UserError(f"runtime {runtime}: status {done.returncode}, {said[-1]}")
    return Ended(done.stdout, folder, wall)


# Prints the MPI library that mpi4py loads, without a start of MPI.
_ASK = """\
mpi4py.rc.initialize = False
found = re.search(r"/\\S*/libmpi(ch|_abi)?\\.so\\S*", open("/proc/self/maps").read())
print(found[0] if found else "")
"""
_LIBRARIES = ("libmpi.so.40", "libmpi.so.12", "libmpich.so.12")


def python_prepared(
    source: str, arguments: tuple[str, ...], installation: Installation
) -> Prepared:
    """Return a program for this environment's Python, or the first one of PATH with mpi4py.

    Raises `LeftOut` where none has it, or has it for another MPI.
    """
    found = None
    for python in filter(None, map(shutil.which, (sys.executable, "python3", "python"))):
        for library in _libraries(installation):
            # Wheels of mpi4py serve the MPI of this variable.
            environment = {"MPI4PY_LIBMPI": str(library)}
            found = _loaded(python, environment, installation) or found
            if found and found.samefile(library):
                words = (python, str(PROGRAMS / source), *arguments)
                # Threads of a linear algebra library would share the rank's core.
                one = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
                return Prepared(words, {**environment, **one})
    if found:
        raise LeftOut(f"mpi4py loads another MPI, {found.name}: install it for this one (PyPI)")
    raise LeftOut("mpi4py not found: install mpi4py and numpy (PyPI) for python3")


def printed_object(output: str) -> dict[str, Any]:
    """Return the JSON object that a program printed. Raises `UserError` where there is none."""
    try:
        said = json.loads(output)
    except ValueError:
        raise UserError("it printed no answer") from None
    return dict(said)


def _libraries(installation: Installation) -> list[Path]:
    """Return the libraries of an MPI that may be its own; /usr may have those of two."""
    names = _LIBRARIES[:1] if installation.family == "openmpi" else _LIBRARIES[1:]
    folders = [Path(installation.prefix) / "lib"]
    folders += folders[0].glob("*-linux-gnu")
    return [path for folder in folders for name in names if (path := folder / name).exists()]


def _loaded(python: str, environment: dict[str, str], installation: Installation) -> Path | None:
    try:
        asked = subprocess.run(
            [python, "-c", _ASK],
            env={**os.environ, **installation.environment, **environment},
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    said = asked.stdout.strip()
    return Path(said) if said else None
