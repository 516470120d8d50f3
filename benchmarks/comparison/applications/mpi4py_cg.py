"""mpi4py: conjugate gradients in NumPy on 256^2 unknowns, an allreduce after every product."""

from pathlib import Path

from comparison.application import Application, Ended, Prepared
from comparison.mpi4py_programs import prepared, printed
from leadline.core.errors import UserError
from leadline.model.installation import Installation

_TOLERANCE = "1e-8"


def prepare(installation: Installation, _folder: Path) -> Prepared:
    """Return the program with the Python that has mpi4py."""
    return prepared("mpi4py_cg.py", ("256", _TOLERANCE), installation)


def read(ended: Ended) -> float:
    """Return the time of the solve. Its residual is computed anew at the end."""
    said = printed(ended.output)
    if not said["residual"] <= 1.1 * float(_TOLERANCE):
        raise UserError(f"residual {said['residual']} instead of {_TOLERANCE}")
    return float(said["seconds"])


APPLICATION = Application("mpi4py-cg", prepare, read)
