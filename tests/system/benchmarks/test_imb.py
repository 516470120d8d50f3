"""A program that loads another MPI than the one under test is refused."""

import pytest
from comparison.imb import Imb

from leadline.core.errors import UserError
from leadline.model.installation import Installation

MPICH = Installation(
    name="mpich", family="mpich", version="5", prefix="/m", source="", mpiexec="/m/bin/mpiexec"
)


def test_a_program_without_the_mpich_under_test_is_refused():
    with pytest.raises(UserError, match=r"loads no MPI library instead of /m/lib/libmpi\.so\.12"):
        Imb("/bin/sh", MPICH).check_library()
