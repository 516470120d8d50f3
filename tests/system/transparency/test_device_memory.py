"""Where one rank may have memory of a GPU, all leave everything to the library, after one line."""

import pytest
from programs import run


@pytest.fixture(scope="module")
def driver(start):
    """A library with the name of CUDA's driver."""
    made = start.folder / "libcuda.so.1"
    run("cc", "-shared", "-o", made, "-x", "c", "/dev/null", status=0)
    return made


def replaces_nothing(ended):
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ", 0 wrong" in ended.stdout
    assert ended.stderr.count("\n") == 1 and "a GPU" in ended.stderr


@pytest.mark.parametrize("rank", [0, 1])
def test_a_driver_in_one_process_leaves_all_to_the_library(start, driver, rank):
    preload = f"{start.library}:{start.folder}/libfaults.so:{driver}"
    only = (rank, {"LD_PRELOAD": preload})
    replaces_nothing(start("collectives 10 1", 2, only=only, REPLACED="0"))


def test_a_gpu_of_one_ranks_node_leaves_all_to_the_library(start):
    only = (1, {"FAULT": "gpu"})
    replaces_nothing(start("collectives 10 1", 2, only=only, REPLACED="0"))
