"""Running CMake: the programs that it needs, and what its errors come down to."""

import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from leadline.core import steps
from leadline.core.errors import HomeError, UserError
from leadline.model.installation import Installation

_COMPILER_ERROR = re.compile(r"^.*?(?:fatal )?error:.*$|^.*undefined reference to.*$", re.M)
_CMAKE_ERROR = re.compile(r"^CMake Error[^\n]*\n(.+?)(?=\n\n\n|\nCall Stack|\Z)", re.M | re.S)
_LONGEST = 300
# On a disk with less than this a compiler or Ninja has just failed to write.
_LEAST_FREE_BYTES = 1 << 20
_COMPILERS = {"C++ compiler": ("CXX", "c++", "g++", "clang++"), "C compiler": ("CC", "cc", "gcc")}
_PACKAGES = {
    "C++ compiler": "g++ (Debian/Ubuntu), gcc-c++ (Fedora/RHEL) or gcc (Spack)",
    "C compiler": "gcc (Debian/Ubuntu, Fedora/RHEL, Spack)",
}


def configuration(installation: Installation, api: str) -> list[str]:
    """Return CMake's definitions for what communicates with this installation.

    >>> there = Installation(name="m", family="mpich", version="5", prefix="/m", source="PATH",
    ...     mpicc="/m/bin/mpicc")
    >>> configuration(there, "mpi")[1:]
    ['-DLEADLINE_API=mpi', '-DMPI_C_COMPILER=/m/bin/mpicc', '-DLEADLINE_WHOLE=ON']
    """
    compiler = {
        "mpi": [f"-DMPI_C_COMPILER={installation.mpicc}", "-DLEADLINE_WHOLE=ON"],
        "simulated": [
            "-DLEADLINE_WHOLE=ON",
            "-DLEADLINE_SIMULATED=ON",
            f"-DCMAKE_C_COMPILER={installation.mpicc}",
            f"-DCMAKE_CXX_COMPILER={installation.mpicxx}",
        ],
        "shmem": ["-DLEADLINE_WHOLE=ON", f"-DCMAKE_CXX_COMPILER={installation.oshcxx}"],
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
    targets: Sequence[str] = (),
) -> None:
    """Configure `source` in `folder` and build `targets`, or all; output goes to the file `log`.

    CMake is given the folder's own path, not that of a link: ccache finds by paths what it keeps.
    What CMake remembers is dropped first: it may be of another checkout. Raises `UserError` with
    the first error and the log's path.
    """
    program = tool("cmake")
    folder = folder.resolve()
    configure = [program, "--fresh", "-S", str(source), "-B", str(folder), "-G", "Ninja"]
    fixed = [f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}", f"-DCMAKE_RUNTIME_OUTPUT_DIRECTORY={folder}"]
    log.unlink(missing_ok=True)
    done = _step([*configure, *fixed, *definitions], log, environment) and _step(
        [program, "--build", str(folder), *(["--target", *targets] if targets else [])],
        log,
        environment,
    )
    if not done:
        if shutil.disk_usage(folder).free < _LEAST_FREE_BYTES:
            raise HomeError(no_space(folder))
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


def compilers(environment: Mapping[str, str]) -> dict[str, str | None]:
    """Return the paths of the C++ and the C compiler, as CMake would choose them.

    CMake's search for MPI tries its C interface, so that both languages are needed.
    """
    return {name: _compiler(name, environment) for name in _COMPILERS}


def require_compilers(environment: Mapping[str, str]) -> None:
    """Raise `UserError` that names the packages where a compiler is missing."""
    for name, path in compilers(environment).items():
        variable = _COMPILERS[name][0]
        if path is None and environment.get(variable):
            raise UserError(
                f"{variable}={environment[variable]}: not found: name a compiler, or unset it"
            )
        if path is None:
            raise UserError(f"no {name}: install {_PACKAGES[name]}")


def tool(name: str) -> str:
    """Return the path of CMake or Ninja. Raises `UserError` where there is none."""
    beside = Path(sys.executable).parent
    found = shutil.which(name, path=str(beside)) or shutil.which(name)
    if not found:
        raise UserError(f"{name} is not on the PATH: pip install 'leadline[build]'")
    return found


def _compiler(name: str, environment: Mapping[str, str]) -> str | None:
    variable, *usual = _COMPILERS[name]
    search = environment.get("PATH", os.defpath)
    chosen = environment.get(variable, "").split()[:1]
    return next(filter(None, (shutil.which(each, path=search) for each in chosen or usual)), None)
