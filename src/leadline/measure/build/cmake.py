"""Running CMake, and what its errors come down to."""

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from leadline.core import steps
from leadline.core.errors import UserError
from leadline.measure.build import tools
from leadline.model.installation import Installation

_COMPILER_ERROR = re.compile(r"^.*?(?:fatal )?error:.*$|^.*undefined reference to.*$", re.M)
_CMAKE_ERROR = re.compile(r"^CMake Error[^\n]*\n(.+?)(?=\n\n\n|\nCall Stack|\Z)", re.M | re.S)
_LONGEST = 300
# On a disk with less than this a compiler or Ninja has just failed to write.
_LEAST_FREE_BYTES = 1 << 20


def configuration(installation: Installation, api: str) -> list[str]:
    """Return CMake's definitions for what communicates with this installation.

    >>> there = Installation(name="m", family="mpich", version="5", prefix="/m", source="PATH",
    ...     mpicc="/m/bin/mpicc")
    >>> configuration(there, "mpi")[1:]
    ['-DLEADLINE_API=mpi', '-DMPI_C_COMPILER=/m/bin/mpicc']
    """
    compiler = {
        "mpi": [f"-DMPI_C_COMPILER={installation.mpicc}"],
        "simulated": [
            "-DLEADLINE_SIMULATED=ON",
            f"-DCMAKE_C_COMPILER={installation.mpicc}",
            f"-DCMAKE_CXX_COMPILER={installation.mpicxx}",
        ],
        "shmem": [f"-DCMAKE_CXX_COMPILER={installation.oshcxx}"],
    }
    return [
        "-DCMAKE_BUILD_TYPE=Release",
        f"-DLEADLINE_API={api}",
        *compiler.get("simulated" if installation.simulates else api, []),
    ]


def build(
    what: str,
    source: Path,
    folder: Path,
    log: Path,
    definitions: Sequence[str],
    environment: Mapping[str, str],
) -> None:
    """Configure `source` in `folder` and build it; all output goes to the file `log`.

    The executables come to lie in `folder` itself, wherever `source` keeps its targets. CMake is
    given the folder's own path, not that of a link to it: ccache finds by paths what it keeps. What
    CMake remembers is dropped first: it may be of another checkout.

    Raises `UserError`, which says `what` does not build, with the first error and the log's path
    where either step fails.
    """
    program = tools.cmake()
    folder = folder.resolve()
    configure = [program, "--fresh", "-S", str(source), "-B", str(folder), "-G", "Ninja"]
    fixed = [f"-DCMAKE_MAKE_PROGRAM={tools.ninja()}", f"-DCMAKE_RUNTIME_OUTPUT_DIRECTORY={folder}"]
    jobs = steps.jobs()
    parallel = ["--parallel", str(jobs)] if jobs else []
    log.unlink(missing_ok=True)
    done = _step([*configure, *fixed, *definitions], log, environment) and _step(
        [program, "--build", str(folder), *parallel], log, environment
    )
    if not done:
        if shutil.disk_usage(folder).free < _LEAST_FREE_BYTES:
            raise UserError(no_space(folder))
        said = first_error(log.read_text(errors="replace"))
        raise UserError(f"{what} does not build: {said} (all of it: {log})")


def first_error(output: str) -> str:
    """Return the first compiler's or linker's error in `output`, else CMake's own."""
    if match := _COMPILER_ERROR.search(output):
        return match[0].strip()[:_LONGEST]
    if match := _CMAKE_ERROR.search(output):
        return " ".join(match[1].split())[:_LONGEST]
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "CMake ended without a word"


def no_space(folder: Path) -> str:
    """Return what to say where the disk of `folder` is full."""
    return (
        f"no space left on device: {folder}: free some space, or set LEADLINE_HOME to a folder "
        "on another disk"
    )


def _step(argv: Sequence[str], log: Path, environment: Mapping[str, str]) -> bool:
    with log.open("a") as file:
        file.write(" ".join(argv) + "\n")
    return steps.run(argv, environment, log) == 0
