"""The user's command, taken apart and mended."""

import msgspec
import pytest

from leadline.check.command import split
from leadline.check.launchers import named

PROGRAM = ("./a", "9")


def parts(line, launcher):
    return split(line.split(), named(launcher), PROGRAM)


@pytest.mark.parametrize(("launcher", "line", "cores", "fix"), [
    ("hydra", "mpiexec -bind-to none -n 2 ./a 9", 1, "mpiexec -bind-to core -n 2 ./a 9"),
    ("hydra", "taskset -c 0 mpiexec -n 2 ./a 9", 2, "mpiexec -bind-to core:2 -n 2 ./a 9"),
    ("openmpi4", "mpirun --bind-to none -np 2 ./a 9", 2,
     "mpirun --map-by slot:PE=2 --bind-to core -np 2 ./a 9"),
    ("openmpi5", "env A=1 mpirun -n 2 taskset -c 0 ./a 9", 1,
     "env A=1 mpirun --map-by core --bind-to core -n 2 ./a 9"),
    ("intel", "mpirun -genv I_MPI_PIN 0 -n 2 ./a 9", 1,
     "mpirun -genv I_MPI_PIN 1 -genv I_MPI_PIN_DOMAIN core -n 2 ./a 9"),
    ("srun", "srun --cpu-bind=none -n 2 ./a 9", 2,
     "srun --cpus-per-task=2 --cpu-bind=cores -n 2 ./a 9"),
    ("none", "taskset -c 0 ./a 9", 1, "./a 9"),
])  # fmt: skip
def test_ranks_are_bound(launcher, line, cores, fix):
    assert parts(line, launcher).bound(cores) == fix


def test_variables_that_win_over_options_are_not_inherited():
    line = "mpirun -n 2 ./a 9"
    command = msgspec.structs.replace(
        parts(line, "intel"), inherited=frozenset({"I_MPI_PIN_PROCESSOR_LIST", "I_MPI_PIN"})
    )
    assert command.bound(1) == (
        "env -u I_MPI_PIN_PROCESSOR_LIST mpirun -genv I_MPI_PIN 1 "
        "-genv I_MPI_PIN_DOMAIN core -n 2 ./a 9"
    )


@pytest.mark.parametrize(("launcher", "line", "fix"), [
    ("openmpi4", "mpirun --mca btl tcp,self -n 2 ./a 9", "mpirun -n 2 ./a 9"),
    ("openmpi4", "mpirun -x OMPI_MCA_btl=tcp -n 2 ./a 9", "mpirun -n 2 ./a 9"),
    ("openmpi4", "OMPI_MCA_btl=tcp mpirun -n 2 ./a 9", "mpirun -n 2 ./a 9"),
    ("openmpi4", "env OMPI_MCA_btl=tcp mpirun -n 2 ./a 9", "mpirun -n 2 ./a 9"),
    ("openmpi4", "mpirun -n 2 ./a 9", "env -u OMPI_MCA_btl mpirun -n 2 ./a 9"),
    ("hydra", "mpiexec -genv OMPI_MCA_btl x -n 2 ./a 9", "mpiexec -n 2 ./a 9"),
    ("hydra", "mpiexec -n 1 ./a 9 : -n 1 -env OMPI_MCA_btl x ./a 9",
     "mpiexec -n 1 ./a 9 : -n 1 ./a 9"),
    ("srun", "srun --export=ALL,OMPI_MCA_btl=x -n 2 ./a 9", "srun -n 2 ./a 9"),
])  # fmt: skip
def test_a_variable_is_removed_where_it_is_set(launcher, line, fix):
    assert parts(line, launcher).without_variables(["OMPI_MCA_btl"]) == fix


@pytest.mark.parametrize(("launcher", "line", "fix"), [
    ("hydra", "mpiexec -n 2 ./a 9", "mpiexec -genv T 1 -n 2 ./a 9"),
    ("hydra", "mpiexec -genv T 4 -n 2 ./a 9", "mpiexec -genv T 1 -n 2 ./a 9"),
    ("openmpi5", "mpirun -x T=4 -n 2 ./a 9", "mpirun -x T=1 -n 2 ./a 9"),
    ("srun", "srun -n 2 ./a 9", "srun --export=ALL,T=1 -n 2 ./a 9"),
    ("none", "./a 9", "env T=1 ./a 9"),
])  # fmt: skip
def test_a_variable_is_set(launcher, line, fix):
    assert parts(line, launcher).with_variable("T", "1") == fix


@pytest.mark.parametrize(("line", "fix"), [
    ("mpirun -np 8 ./a 9", "mpirun -np 2 ./a 9"),
    ("mpirun ./a 9", "mpirun -n 2 ./a 9"),
    ("mpirun --host x,y -n 8 -- ./a 9", "mpirun --host x,y -n 2 -- ./a 9"),
])  # fmt: skip
def test_another_number_of_processes(line, fix):
    assert parts(line, "openmpi4").with_processes(2) == fix


def test_what_confines_or_traces_is_removed_with_its_options():
    line = "nice -n 5 mpirun -n 2 strace -o /dev/null -f ./a 9"
    assert parts(line, "openmpi4").unconfined() == "mpirun -n 2 ./a 9"


def test_the_launcher_of_another_mpi_keeps_the_number_of_processes():
    line = "env A=1 mpirun --bind-to core -np 4 ./a 9"
    assert parts(line, "openmpi4").by("/m/mpiexec") == "env A=1 /m/mpiexec -n 4 ./a 9"


def test_a_script_is_answered_by_the_line_that_belongs_into_it():
    fix = parts("./job.sh", "openmpi4").bound(2)
    assert fix == "mpirun --map-by slot:PE=2 --bind-to core PROGRAM"
