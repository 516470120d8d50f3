import pytest

from leadline.model.installation import Installation
from leadline.site.mpi.families import FAMILIES, is_library_of

LIBRARIES = {
    ("mpich", "5.0.2"): "MPICH Version:      5.0.2\nMPICH Release date: Fri Sep 25",
    ("mpich", "4.0.2"): "MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7",
    ("openmpi", "5.0.11"): "Open MPI v5.0.11, package: Open MPI user@localhost Distribution",
    ("openmpi", "5.0.1"): "Open MPI v5.0.1, package: Open MPI user@localhost Distribution",
    ("openmpi", "4.1.4"): "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4",
    ("intel", "2021.18.1"): "Intel(R) MPI Library 2021.18.1 for Linux* OS\n",
}


@pytest.mark.parametrize("kind", LIBRARIES)
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_belongs_to_its_own_installation_only(kind, library):
    family, version = kind
    mine = Installation(name="", family=family, version=version, prefix="", source="")
    assert is_library_of(mine, LIBRARIES[library]) == (kind == library)


def test_derived_families_are_asked_before_what_they_derive_from():
    order = [family.name for family in FAMILIES]
    assert order.index("intel") < order.index("mpich") < order.index("mpi")
    assert order.index("mvapich") < order.index("mpich")
