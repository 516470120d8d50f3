"""A small MPI program built with every installation that is really here."""

import os
import shutil
import subprocess

import pytest
from mpi_here import places_here

from leadline.core.errors import UserError
from leadline.measure.build import check_library, probe_for
from leadline.site.mpi.discovery import find_installations

pytestmark = pytest.mark.mpi

MAIN = r"""#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <cstdio>
#include <cstring>
int main(int count, char** arguments) {
  if (count > 1 && !std::strcmp(arguments[1], "--describe")) {
    std::puts(R"({"format": 1, "transport": "mpi", "benchmarks": [], "settings": [],)"
              R"("sample": [], "flags": []})");
    return 0;
  }
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Init(&count, &arguments);
  MPI_Get_library_version(version, &length);
  std::puts(version);
  MPI_Finalize();
}
"""


def installations(tmp_path):
    places = places_here(tmp_path / "found")
    there = find_installations(places=places)
    return [each for each in there if "mpi" in each.apis and not each.simulates]


def library(installation, program, **environment):
    """Return what the program says of the library that it runs on."""
    ran = subprocess.run(
        [installation.mpiexec, "-n", "1", str(program)],
        env={
            **os.environ,
            **installation.environment,
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            **environment,
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return ran.stdout


@pytest.mark.full
def test_each_installation_builds_a_program_that_runs_on_its_own_library(project, home, tmp_path):
    there = installations(tmp_path)
    if not there:
        pytest.skip("no MPI: install mpich or openmpi-bin with libopenmpi-dev")
    project.main.write_text(MAIN)
    libraries = {}
    for each in there:
        probe = probe_for(each, "mpi", str, project.root)
        assert probe.path.parent == home / "probes" / each.name / "mpi"
        libraries[each.name] = library(each, probe.path)
        check_library(each, libraries[each.name])
    for each in there:
        for other in there:
            if (other.family, other.version) != (each.family, each.version):
                with pytest.raises(UserError, match="runs on another library"):
                    check_library(each, libraries[other.name])


@pytest.mark.full
def test_openshmem_builds_with_its_own_wrapper(project, home, tmp_path):
    there = [each for each in installations(tmp_path) if each.oshcxx]
    if not there:
        pytest.skip("no OpenSHMEM: install libopenmpi-dev")
    text = project.main.read_text()
    project.main.write_text(f"#include <shmem.h>\nauto* use = &shmem_init;\n{text}")
    probe = probe_for(there[0], "shmem", str, project.root)
    linked = subprocess.run([shutil.which("ldd"), probe.path], capture_output=True, text=True)
    assert "oshmem" in linked.stdout
