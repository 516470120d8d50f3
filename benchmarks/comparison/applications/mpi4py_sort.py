"""mpi4py: sorting by samples, many times: allgather, alltoall, alltoallv, and pickled objects."""

from pathlib import Path

from comparison.application import Application, Ended, Prepared
from comparison.mpi4py_programs import prepared, printed
from leadline.core.errors import UserError
from leadline.model.installation import Installation


def prepare(installation: Installation, _folder: Path) -> Prepared:
    """Return the program with the Python that has mpi4py."""
    return prepared("mpi4py_sort.py", ("20000", "300"), installation)


def read(ended: Ended) -> float:
    """Return the time of all rounds, each of which proved its order."""
    said = printed(ended.output)
    if said["sorted"] is not True:
        raise UserError("its numbers are not sorted")
    return float(said["seconds"])


APPLICATION = Application("mpi4py-sort", prepare, read)
