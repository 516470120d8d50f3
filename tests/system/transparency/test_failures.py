"""One rank that fails, dies, or was started otherwise: all fall back together, or all end."""

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.timeout(900)  # the first test may wait for the build


def goes_on(run, word=""):
    """Prove that a program ended right after one warning, which has the word in it."""
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout == "ok\n"
    assert run.stderr.count("\n") == (1 if word else 0), run.stderr
    assert run.stderr.startswith("leadline: " if word else "") and word in run.stderr


def leaves_nothing(before):
    left = set(Path("/dev/shm").iterdir()) - before
    assert not [each for each in left if each.name.startswith("leadline-")]


@pytest.fixture
def shm():
    """What is in /dev/shm before."""
    return set(Path("/dev/shm").iterdir())


ONE_OF_SEVERAL = [(0, 2), (1, 2), (1, 3)]
DIFFERENT = {
    "LEADLINE_PATIENCE": "3",
    "LEADLINE_PROFILE": "",
    "LEADLINE_REPRODUCIBLE": "1",
    "LEADLINE_SHARED_SLOT": "8192",
}


@pytest.mark.parametrize(("rank", "ranks"), ONE_OF_SEVERAL)
@pytest.mark.parametrize("variable", DIFFERENT)
def test_a_setting_of_one_rank_is_none(start, variable, rank, ranks):
    run = start("failures first", ranks, only=(rank, {variable: DIFFERENT[variable]}))
    goes_on(run, "not the same on all ranks")


@pytest.mark.parametrize(("rank", "ranks"), ONE_OF_SEVERAL)
def test_a_profile_that_one_rank_cannot_read_is_none(start, rank, ranks):
    run = start("failures first", ranks, only=(rank, {"LEADLINE_PROFILE": "/nowhere"}))
    goes_on(run, "/nowhere is not used" if rank == 0 else "not the same on all ranks")


@pytest.mark.parametrize("program", ["all", "nothing"])
@pytest.mark.parametrize("rank", [0, 1])
def test_a_report_that_one_rank_does_not_want_is_of_rank_0(start, tmp_path, rank, program):
    file = tmp_path / "report.json"
    run = start(
        f"failures {program}", 3, LEADLINE_REPORT=str(file), only=(rank, {"LEADLINE_REPORT": ""})
    )
    goes_on(run, "LEADLINE_REPORT is not set on all ranks")
    if rank == 0:
        assert not file.exists()
    else:
        report = json.loads(file.read_text())
        assert (report["ranks"], report["processes"]) == (1, None)


def test_hints_that_one_rank_has_are_none(start, tmp_path):
    hints = {"LEADLINE_MPIIO_HINTS": "*:cb_buffer_size=65536:romio_cb_write=enable"}
    run = start(f"failures open {tmp_path}/a.dat", 2, only=(1, hints))
    goes_on(run, "LEADLINE_MPIIO_HINTS is not the same")


NO_NAMELESS = ("ftruncate", "posix_fallocate", "mmap", "memfd_create")


@pytest.mark.parametrize(("rank", "ranks"), ONE_OF_SEVERAL)
@pytest.mark.parametrize("function", NO_NAMELESS)
def test_memory_that_one_rank_cannot_have_is_nobodys(start, shm, function, rank, ranks):
    run = start("failures all", ranks, only=(rank, {"FAULT": f"{function},shm_open"}))
    needless = rank != 0 and function in ("ftruncate", "memfd_create")  # the first rank's alone
    goes_on(run, "" if needless else "no memory can be shared")
    leaves_nothing(shm)


def test_without_nameless_memory_it_has_a_name_for_a_moment(start, shm):
    goes_on(start("failures all", 3, only=(0, {"FAULT": "memfd_create"})))
    leaves_nothing(shm)


def test_a_rank_without_memory_to_pack_ends_the_program(start):
    run = start("failures memory", 2)
    assert run.returncode != 0 and "ok" not in run.stdout
    assert run.stderr.count("leadline: ") == 1 and "memory" in run.stderr


def test_a_buffer_given_twice_is_the_librarys_to_refuse(start):
    replaced, without = start("failures alias", 2), start("failures alias", 2, preload=None)
    assert replaced.returncode == without.returncode == 0, replaced.stderr
    assert replaced.stdout == without.stdout
    assert without.stdout.startswith("classes "), without.stdout


STAGES = ["before", "adopted", "inside 8", "inside 65536", "inside 8388608", "finalize"]


@pytest.mark.parametrize("stage", STAGES)
def test_a_rank_that_dies_takes_the_others_along_and_leaves_nothing(start, shm, stage):
    run = start(f"failures {stage}", 3)
    assert run.returncode != 0, run.stdout
    leaves_nothing(shm)


@pytest.mark.parametrize("rank", [0, 2])
@pytest.mark.parametrize("function", ["posix_fallocate", "mmap"])
def test_a_rank_that_dies_while_memory_is_shared_leaves_nothing(start, shm, function, rank):
    run = start("failures all", 3, only=(rank, {"FAULT": function, "FAULT_KILLS": "1"}))
    assert run.returncode != 0, run.stdout
    leaves_nothing(shm)
