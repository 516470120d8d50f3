"""PETSc: conjugate gradients with multigrid on -div grad u = 1, 1023^2 unknowns."""

import subprocess
from pathlib import Path

from comparison.application import Application, Ended, LeftOut, Prepared, compiled
from comparison.poisson import INTERVALS, TOLERANCE, solve_seconds
from leadline.model.installation import Installation

_PACKAGE = "petsc-dev"
_OPTIONS = ("-pc_type", "mg", "-pc_mg_levels", "7")


def prepare(installation: Installation, folder: Path) -> Prepared:
    """Return the program of `benchmarks/solvers`, on Debian's PETSc."""
    asked = ["pkg-config", "--cflags", "--libs", "petsc"]
    try:
        flags = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()
    except (OSError, subprocess.CalledProcessError):
        raise LeftOut(f"petsc not found: install {_PACKAGE}") from None
    program = compiled("petsc_cg.c", tuple(flags), _PACKAGE, installation, folder)
    options = ("-intervals", str(INTERVALS), "-ksp_rtol", TOLERANCE, *_OPTIONS)
    return Prepared((program, *options), {"OMP_NUM_THREADS": "1"})


def read(ended: Ended) -> float:
    """Return the time of matrix, hierarchy and solve."""
    return solve_seconds(ended.output)


APPLICATION = Application("petsc", prepare, read)
