"""The Python that has mpi4py, and what programs with it print."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from comparison.application import PROGRAMS, LeftOut, Prepared
from leadline.core.errors import UserError
from leadline.model.installation import Installation

# Prints the MPI library that mpi4py loads, without a start of MPI.
_ASK = """\
import mpi4py, numpy, re
mpi4py.rc.initialize = False
import mpi4py.MPI
found = re.search(r"/\\S*/libmpi(ch|_abi)?\\.so\\S*", open("/proc/self/maps").read())
print(found[0] if found else "")
"""
_LIBRARIES = ("libmpi.so.40", "libmpi.so.12", "libmpich.so.12")


def prepared(source: str, arguments: tuple[str, ...], installation: Installation) -> Prepared:
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


def printed(output: str) -> dict[str, Any]:
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
