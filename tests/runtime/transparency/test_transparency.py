"""Unmodified programs with every call replaced that can be, against the library's own functions."""

import ctypes
import os
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# More ranks than cores: see tests/crowded.cmake.
CROWDED = {
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "64",
    "I_MPI_PIN": "0",
    "I_MPI_WAIT_MODE": "1",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
}
LIBRARIES = {"mpich": "MPICH Version", "openmpi": "Open MPI", "intel": "Intel"}
COLLECTIVES = ("allgather", "allreduce", "alltoall", "barrier", "bcast", "reduce")
GOES_ON = "the program goes on without leadline"


def profile(library, path, version):
    name = ctypes.create_string_buffer(256)
    ctypes.CDLL(str(library)).leadline_machine(name, ctypes.c_size_t(256))
    rules = [
        f'[[rule]]\ncollective = "{each}"\nalgorithm = "shared"\n'
        for each in (*COLLECTIVES, "reduce_scatter_block")
    ]
    head = f'format = 1\nmachine = "{name.value.decode()}"\nlibrary = "{version}"\n'
    path.write_text(head + "".join(rules))
    return path


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    """Starts a program of this folder on some ranks, with the runtime unless `preload` is none."""
    from leadline.build import runtime_for
    from leadline.mpi.choice import choose_one

    installation = choose_one(None)
    folder = tmp_path_factory.mktemp("transparency")
    runtime = runtime_for(installation, print)
    library = runtime / "libleadline.so"
    shared = profile(library, folder / "shared.toml", LIBRARIES[installation.family])
    options = ["-O1", "-Wall", "-Wextra", "-pthread"]
    counter = folder / "libcounter.so"
    subprocess.run(
        [installation.mpicc, *options, "-shared", "-fPIC", HERE / "counter.c", "-o", counter],
        check=True,
    )
    for name in ("collectives", "scenarios"):
        source = [HERE / f"{name}.c", counter, f"-Wl,-rpath,{folder}"]
        subprocess.run([installation.mpicc, *options, *source, "-o", folder / name], check=True)

    def started(command, ranks, preload=library, **variables):
        settings = {"LEADLINE_PROFILE": str(shared), "LEADLINE_PATIENCE": "8", **variables}
        if preload:
            settings["LD_PRELOAD"] = str(preload)
        program, *words = command.split()
        return subprocess.run(
            [installation.mpiexec, "-n", str(ranks), folder / program, *words],
            env={**os.environ, **CROWDED, **settings},
            capture_output=True,
            text=True,
            timeout=240,
        )

    started.library = library
    started.folder = folder
    return started


def succeeds(run):
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


@pytest.mark.parametrize("ranks", range(1, 10))
def test_collectives_give_what_the_library_gives(start, ranks):
    out = succeeds(start(f"collectives {120 // ranks} {ranks}", ranks, REPLACED="1"))
    assert "0 wrong" in out


def test_the_truth_is_the_librarys(start):
    succeeds(start("collectives 20 1", 2, preload=None, REPLACED="0"))


@pytest.mark.parametrize(
    "scenario",
    [
        "possessions",
        "messages",
        "threads",
        "groups",
        "forks",
        "large_types",
        "communicators",
        "unfinished",
    ],
)
def test_programs_behave_as_without_leadline(start, scenario):
    run = start(f"scenarios {scenario}", 2)
    assert succeeds(run).count("ok\n") == 1
    assert run.stderr == ""


def test_sums_that_show_their_order_stay_the_librarys_where_that_is_asked_for(start):
    asked = succeeds(start("scenarios reproducible", 2, LEADLINE_REPRODUCIBLE="1"))
    assert asked.count("20 to the library") == 2  # sums and maxima of doubles, not whole numbers
    assert succeeds(start("scenarios reproducible", 2)).splitlines().count("0 to the library") == 2


def test_off_makes_it_vanish(start):
    run = start("collectives 20 1", 2, REPLACED="0", LEADLINE="off")
    assert "0 wrong" in succeeds(run) and run.stderr == ""


@pytest.mark.parametrize("stage", ["before", "during", "adopted"])
def test_a_rank_that_dies_takes_the_others_along_and_leaves_nothing(start, stage):
    before = set(Path("/dev/shm").iterdir())
    assert start(f"scenarios dies {stage}", 3).returncode != 0
    left = set(Path("/dev/shm").iterdir()) - before
    assert not [each for each in left if "leadline" in each.name]


def test_what_fails_is_one_line_for_the_whole_job(start):
    alone = start.folder / "libleadline.so"
    alone.write_bytes(start.library.read_bytes())
    missing = start("scenarios forks", 3, preload=alone)
    succeeds(missing)
    assert missing.stderr.count("\n") == 1 and GOES_ON in missing.stderr
    other = profile(start.library, start.folder / "other.toml", "MPI 0")
    refused = start("scenarios forks", 3, LEADLINE_PROFILE=str(other))
    succeeds(refused)
    assert refused.stderr.count("\n") == 1 and "MPI 0" in refused.stderr
