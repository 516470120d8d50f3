"""One rank that fails, dies, or was started otherwise: all fall back together, or all end."""

import json
import signal
import sys
from pathlib import Path

import pytest
from programs import run

from leadline import __version__


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
    "LEADLINE_LEARN": "1",
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


def test_a_report_that_cannot_be_gathered_is_of_rank_0_after_a_line(start, tmp_path):
    file = tmp_path / "report.json"
    faults = {"FAULT": "PMPI_Comm_split", "LEADLINE_PROFILE": ""}
    goes_on(start("failures all", 3, LEADLINE_REPORT=str(file), **faults), "1 of 3 ranks")
    report = json.loads(file.read_text())
    assert (report["ranks"], report["processes"]) == (1, 3)


def test_hints_that_one_rank_has_are_none(start, tmp_path):
    hints = {"LEADLINE_MPIIO_HINTS": "*:cb_buffer_size=65536:romio_cb_write=enable"}
    run = start(f"failures open {tmp_path}/a.dat", 2, only=(1, hints))
    goes_on(run, "LEADLINE_MPIIO_HINTS is not the same")


def other_version(start):
    """Return a copy of the runtime whose engine takes itself for another version."""
    folder = start.folder / "other"
    folder.mkdir(exist_ok=True)
    for name in ("libleadline.so", "libleadline-engine.so"):
        words = (start.library.parent / name).read_bytes()
        other = words.replace(
            b"leadline version " + __version__.encode(), b"leadline version 0.0.0"
        )
        (folder / name).write_bytes(other)
    assert other != words
    return folder / "libleadline.so"


@pytest.mark.parametrize(("rank", "ranks"), ONE_OF_SEVERAL)
def test_another_version_on_one_rank_is_none(start, rank, ranks):
    other = f"{other_version(start)}:{start.folder}/libfaults.so"
    run = start("failures first", ranks, only=(rank, {"LD_PRELOAD": other}))
    goes_on(run, "version is not the same on all ranks")


WITHOUT = {"LEADLINE=off": {"LEADLINE": "off"}, "no preload": {"LD_PRELOAD": ""}}


@pytest.mark.parametrize(("rank", "ranks"), ONE_OF_SEVERAL)
@pytest.mark.parametrize("how", WITHOUT)
@pytest.mark.parametrize("program", ["all", "nothing"])
def test_a_rank_without_leadline_ends_the_job_in_a_line(start, program, how, rank, ranks):
    run = start(f"failures {program}", ranks, only=(rank, WITHOUT[how]))
    assert run.returncode != 0
    said = [line for line in run.stderr.splitlines() if line.startswith("leadline: ")]
    assert len(said) == 1 and f"rank {rank} runs without leadline" in said[0]


def test_a_rank_that_is_late_is_waited_for(start):
    goes_on(start("failures late 5", 3))


# Of no use to those that are handed the file, and of use to them alone.
FIRST_RANKS = ("ftruncate", "memfd_create,tmpfile", "descriptor,sendmsg")
OTHER_RANKS = ("descriptor,connect",)
ANY_RANKS = ("posix_fallocate", "mmap")


@pytest.mark.parametrize(("rank", "ranks"), ONE_OF_SEVERAL)
@pytest.mark.parametrize("faults", (*FIRST_RANKS, *OTHER_RANKS, *ANY_RANKS))
def test_memory_that_one_rank_cannot_have_is_nobodys(start, shm, faults, rank, ranks):
    opened = {"FAULT": "descriptor"} if faults in FIRST_RANKS else {}
    run = start("failures all", ranks, only=(rank, {"FAULT": faults}), **opened)
    needless = faults in (FIRST_RANKS if rank != 0 else OTHER_RANKS)
    goes_on(run, "" if needless else "no memory can be shared")
    leaves_nothing(shm)


@pytest.mark.parametrize(("rank", "ranks"), ONE_OF_SEVERAL)
def test_memory_past_the_limit_of_files_is_nobodys(start, rank, ranks):
    # The first rank makes the file grow for all.
    goes_on(start(f"failures limit {rank}", ranks), "ulimit -f" if rank == 0 else "")


def test_a_report_past_the_limit_of_files_is_one_line(start, tmp_path):
    file = tmp_path / "report.json"
    run = start("failures report", 2, LEADLINE_REPORT=str(file), LEADLINE_PROFILE="")
    goes_on(run, "cannot be written: File too large")


@pytest.mark.parametrize("faults", ["memfd_create", "descriptor", "memfd_create,descriptor"])
def test_memory_is_handed_to_ranks_that_cannot_open_it(start, shm, faults):
    goes_on(start("failures all", 3, FAULT=faults))
    leaves_nothing(shm)


@pytest.mark.parametrize("only", [(), (1,)])
@pytest.mark.parametrize("fault", ["madvise", "growth"])
def test_memory_that_cannot_be_had_later_is_not_needed(start, fault, only):
    """Neither with an old kernel, nor where memory is full when more places are to be had."""
    faults = {"only": (*only, {"FAULT": fault})} if only else {"FAULT": fault}
    run = start("collectives 20 1", 2, REPLACED="1", **faults)
    assert run.returncode == 0 and "0 wrong" in run.stdout, run.stdout + run.stderr
    assert run.stderr == ""


def test_a_rank_without_memory_to_pack_ends_the_program(start):
    run = start("failures memory", 2)
    assert run.returncode != 0 and "ok" not in run.stdout
    assert run.stderr.count("leadline: ") == 1 and "memory" in run.stderr


def test_a_buffer_given_twice_is_the_librarys_to_refuse(start):
    replaced, without = start("failures alias", 2), start("failures alias", 2, preload=None)
    assert replaced.returncode == without.returncode == 0, replaced.stderr
    assert replaced.stdout == without.stdout
    assert without.stdout.startswith("classes "), without.stdout


@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize(("most", "learns"), [(20000, False), (500, True)])
def test_a_rank_that_expects_another_size_of_a_broadcast_is_told(start, most, learns, ranks):
    """Less is an error everywhere; more is none where Open MPI itself takes it.

    The calls are fewer than those before the library is tried again, which may hang.
    """
    learnt = {"LEADLINE_PROFILE": "", "LEADLINE_LEARN": "1", "LEADLINE_LEARNT": str(start.profile)}
    run = start(f"failures sizes {most}", ranks, **(learnt if learns else {}))
    assert run.returncode == 0, run.stdout + run.stderr
    lines = [line.split() for line in run.stdout.splitlines() if line != "ok"]
    takes_less = start.installation.family == "openmpi"
    for sent, expected, answer in lines:
        fits = int(sent) == int(expected) or (takes_less and int(sent) < int(expected))
        assert answer == ("taken" if fits else "refused"), (sent, expected)
    assert len(lines) == (81 if most > 500 else 36)


def test_who_finalizes_twice_is_told_so_by_the_library(start):
    replaced, without = start("failures twice", 2), start("failures twice", 2, preload=None)
    assert replaced.returncode == without.returncode != 0
    assert "Finalize" in without.stderr and "Comm_rank" not in without.stderr
    assert "Finalize" in replaced.stderr and "Comm_rank" not in replaced.stderr


STAGES = ["before", "adopted", "inside 8", "inside 65536", "inside 8388608", "finalize"]


@pytest.mark.parametrize("stage", STAGES)
def test_a_rank_that_dies_takes_the_others_along_and_leaves_nothing(start, shm, stage):
    run = start(f"failures {stage}", 3)
    assert run.returncode != 0, run.stdout
    leaves_nothing(shm)


@pytest.mark.parametrize("rank", [0, 2])
@pytest.mark.parametrize("function", ["posix_fallocate", "mmap"])
def test_a_rank_that_dies_while_memory_is_shared_leaves_nothing(start, shm, function, rank):
    run = start("failures all", 3, only=(rank, {"FAULT_KILLS": function}))
    assert run.returncode != 0, run.stdout
    leaves_nothing(shm)


MOMENTS = ["tmpfile", "ftruncate", "descriptor", "connect", "sendmsg", "posix_fallocate", "mmap"]


@pytest.mark.parametrize("moment", MOMENTS)
def test_ranks_that_all_die_while_memory_is_shared_leave_nothing(start, shm, moment):
    """Also where the memory must be in /dev/shm, and other ranks cannot open it."""
    run = start("failures all", 3, FAULT="memfd_create,descriptor", FAULT_KILLS=moment)
    assert run.returncode != 0, run.stdout
    leaves_nothing(shm)


def test_a_call_that_its_library_does_not_have_ends_a_program_in_a_line_that_names_it(start):
    call = "import ctypes; ctypes.CDLL(None).MPI_Barrier(0)"
    ended = run(sys.executable, "-c", call, LD_PRELOAD=str(start.library))
    assert ended.returncode == -signal.SIGABRT
    assert ended.stderr.startswith("leadline: the program calls MPI_Barrier, which its MPI")
    assert ended.stderr.count("\n") == 1
