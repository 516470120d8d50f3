"""hypre: conjugate gradients with PFMG on -div grad u = 1, 1023^2 unknowns."""

from pathlib import Path

from comparison.application import Application, Ended, Prepared, compiled
from comparison.poisson import INTERVALS, TOLERANCE, solve_seconds
from leadline.model.installation import Installation

_FLAGS = ("-I/usr/include/hypre", "-lHYPRE", "-lm")


def prepare(installation: Installation, folder: Path) -> Prepared:
    """Return the program of `benchmarks/solvers`, on Debian's hypre."""
    program = compiled("hypre_pfmg.c", _FLAGS, "libhypre-dev", installation, folder)
    return Prepared((program, str(INTERVALS), TOLERANCE, "1", "0"))


def read(ended: Ended) -> float:
    """Return the time of matrix, hierarchy and solve."""
    return solve_seconds(ended.output)


APPLICATION = Application("hypre", prepare, read)
