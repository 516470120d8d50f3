"""Real programs of the standing table: what each file of `comparison.applications` has."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from comparison.ended import ended
from leadline.core.errors import UserError
from leadline.core.names import suggestion
from leadline.core.plugins import plugins
from leadline.measure.knobs.knob import with_knobs
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
    """A program that users run. One file each, found by its `APPLICATION`.

    `prepare` takes the MPI and a folder to build in, and raises `LeftOut`. `read` returns the
    seconds that the program took, and raises `UserError` where its answer is wrong.
    """

    name: str
    prepare: Callable[[Installation, Path], Prepared]
    read: Callable[[Ended], float]


def applications() -> dict[str, Application]:
    """Return every program by name."""
    return {each.name: each for each in plugins("comparison.applications", "APPLICATION")}


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


def compiled(
    source: str, flags: tuple[str, ...], package: str, installation: Installation, folder: Path
) -> str:
    """Return the path of a program in C that uses a library. Raises `LeftOut` without it."""
    program = folder / source.removesuffix(".c")
    try:
        subprocess.run(
            [installation.mpicc or "mpicc", "-O2", str(PROGRAMS / source), *flags, "-o", program],
            env={**os.environ, **installation.environment},
            capture_output=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        raise LeftOut(f"{source} does not build: install {package}") from None
    require_built_with(str(program), package, installation)
    return str(program)


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
