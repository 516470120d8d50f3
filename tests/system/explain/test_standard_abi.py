"""A program that is linked to the library of MPI's standard ABI, beside MPICH's own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from leadline.site.mpi.discovery import find_installations
from leadline.site.mpi.families import with_standard_abi

pytestmark = pytest.mark.mpi

SOURCE = r"""#include <mpi.h>
#include <stdio.h>
int main(int count, char** arguments) {
  int rank, ranks, sum = 0;
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 100; ++i)
    MPI_Allreduce(&ranks, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d\n", sum);
  MPI_Finalize();
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """Return the launcher and a program of the standard ABI."""
    there = [each for each in find_installations() if with_standard_abi(each)]
    wrappers = [Path(f"{each.mpicc}_abi") for each in there if each.mpicc]
    found = next((wrapper for wrapper in wrappers if wrapper.is_file()), None)
    if found is None:
        pytest.skip("no mpicc_abi: pip install mpich")
    folder = tmp_path_factory.mktemp("standard")
    (folder / "sum.c").write_text(SOURCE)
    subprocess.run([found, folder / "sum.c", "-o", folder / "sum"], check=True)
    return str(found.with_name("mpiexec")), str(folder / "sum")


def run(environment, *words):
    return subprocess.run(
        [sys.executable, "-m", "leadline", *words],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )


def test_it_is_explained(program, environment):
    launcher, path = program
    done = run(environment, "explain", "--json", launcher, "-n", "2", path)
    answer = json.loads(done.stdout)
    assert "MPI_Allreduce" in {each["call"] for each in answer["sites"]}
    assert "4\n" in done.stderr


@pytest.mark.full
def test_its_collectives_are_replaced(program, environment):
    launcher, path = program
    done = run(environment, "exec", "--report", "--learn", launcher, "-n", "2", path)
    assert done.stdout == "4\n"
    assert "allreduce" in done.stderr and "goes on without leadline" not in done.stderr
