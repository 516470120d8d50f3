"""What the observer's library sees of programs that use mpi_f08."""

import re
import shutil
from pathlib import Path

import pytest
from explain_file import read_node
from programs import run

pytestmark = pytest.mark.mpi

HERE = Path(__file__).parent
ONCE = {
    "Init", "Irecv", "Test", "Testall", "Testany", "Testsome", "Request_get_status", "Iprobe",
    "Improbe", "Send", "Wait", "Cart_create", "Cart_sub", "Graph_create",
    "Dist_graph_create_adjacent", "Dist_graph_create", "Intercomm_create", "Intercomm_merge",
    "File_open", "File_set_atomicity", "File_close", "Win_create", "Win_post", "Win_start",
    "Win_complete", "Win_test", "Win_free", "Finalize",
}  # fmt: skip
CALLS = {"MPI_Barrier": 2, **{f"MPI_{name}": 1 for name in ONCE}}


@pytest.fixture
def mpifort(observed):
    here = Path(observed.installation.mpicc).parent
    found = shutil.which(f"mpifort.{observed.installation.family}", path=here)
    return found or pytest.skip(f"{observed.installation.name} has no Fortran here")


@pytest.fixture
def openmpi_4(observed):
    if not (observed.installation.family == "openmpi" and observed.installation.version[0] == "4"):
        pytest.skip("only Open MPI 4 calls Fortran's PMPI names")


def names(option, file):
    listed = run("nm", "-D", option, file, status=0)
    return {line.split()[-1].partition("@")[0] for line in listed.stdout.splitlines()}


def counted(observed, files, program):
    """Return the calls of each rank."""
    command = observed.command(program, str(files.parent / "opened"))
    run(*command, status=0, environment=observed.environment(files))
    (file,) = files.iterdir()
    return [
        {row.function: rank.row(row.function).calls for row in rank.rows}
        for rank in read_node(file)
    ]


def test_each_call_is_counted_once(observed, files, mpifort):
    program = observed.program(HERE / "modules.F90", mpifort)
    for calls in counted(observed, files, program):
        calls.pop("MPI_Win_wait", None)
        assert calls == CALLS


def test_a_layer_in_the_program_hides_no_call(observed, files, mpifort, openmpi_4):
    """The program's own functions go before those that are preloaded."""
    program = observed.program(HERE / "layer.F90", mpifort)
    for calls in counted(observed, files, program):
        calls.pop("MPI_Win_wait", None)
        assert calls == CALLS


def test_each_name_that_the_module_calls_has_an_entry(observed, mpifort, openmpi_4):
    program = observed.program(HERE / "modules.F90", mpifort)
    linked = run("ldd", program, status=0)
    (module,) = re.findall(r"libmpi_usempif08\S* => (\S+)", linked.stdout)
    ours = names("--defined-only", observed.runtime / "libleadline-explain.so")
    called = {name for name in names("--undefined-only", module) if name.startswith("pmpi_")}
    about = {name for name in called if name.removeprefix("p") in ours}
    assert {"pmpi_test_", "pmpi_cart_create_"} <= about
    assert about <= ours
