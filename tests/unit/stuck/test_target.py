"""Which job is meant, found in /proc."""

import pytest

from leadline.core.errors import UserError
from leadline.site.hardware.files import Files
from leadline.stuck.stacks import call_of, parse
from leadline.stuck.target import find_target

HYDRA = {"PMI_FD": "7", "PMI_SIZE": "2"}


class Processes:
    def __init__(self, root):
        self.root = root
        (root / "proc").mkdir()

    def add(self, pid, parent, command, state="S", **environment):
        folder = self.root / "proc" / str(pid)
        folder.mkdir()
        (folder / "stat").write_text(f"{pid} ({command}) {state} {parent} 1 1 " + "0 " * 46)
        (folder / "environ").write_text("".join(f"{k}={v}\0" for k, v in environment.items()))
        (folder / "maps").write_text("7f-8f r-xp 0 1:2 3 /usr/lib/libmpi.so.40\n")

    def find(self, text):
        return find_target(text, Files(self.root))


@pytest.fixture
def there(tmp_path):
    """Two jobs: one in a recording's folder, one without; each with a launcher and its daemon."""
    folder = tmp_path / "recording"
    folder.mkdir()
    there = Processes(tmp_path)
    there.add(10, 1, "bash")
    there.add(20, 10, "python3")
    there.add(21, 20, "mpiexec.mpich")
    there.add(22, 21, "hydra_pmi_proxy")
    for rank in (0, 1):
        there.add(23 + rank, 22, "app", LEADLINE_EXPLAIN=folder, PMI_RANK=rank, **HYDRA)
        there.add(33 + rank, 32, "app", PMI_RANK=rank, SLURM_JOB_ID="517", **HYDRA)
    there.add(31, 10, "mpiexec.hydra", SLURM_JOB_ID="517")
    there.add(32, 31, "hydra_pmi_proxy", SLURM_JOB_ID="517")
    there.add(40, 1, "zombie", "Z")
    return there


@pytest.mark.parametrize("pid", ["20", "21", "22", "23", "24"])
def test_a_recording_is_found_from_each_process_of_its_job(there, pid):
    target = there.find(pid)
    assert target.folder == there.root / "recording"
    assert target.pids == {0: 23, 1: 24}


@pytest.mark.parametrize("text", ["31", "32", "33", "34", "517"])
def test_ranks_are_found_from_each_process_and_by_the_number_of_the_job(there, text):
    target = there.find(text)
    assert target.folder is None
    assert {each.rank: each.pid for each in target.found} == {0: 33, 1: 34}


def test_a_folder_is_a_recording(there):
    target = there.find(str(there.root / "recording"))
    assert target.pids == {0: 23, 1: 24}


def test_a_recording_that_is_not_on_this_host_leaves_the_processes(there):
    (there.root / "recording").rmdir()
    target = there.find("21")
    assert target.folder is None
    assert {each.rank: each.pid for each in target.found} == {0: 23, 1: 24}


@pytest.mark.parametrize(("text", "said"), [
    ("99", "no process and no job 99"), ("40", "process 40 has ended"),
    ("nothing", "no process, job or folder"),
])  # fmt: skip
def test_what_is_no_job_is_told_in_a_line(there, text, said):
    with pytest.raises(UserError, match=said) as told:
        there.find(text)
    assert "\n" not in str(told.value)


def test_a_process_without_mpi_is_no_job(there):
    there.add(50, 1, "sleep")
    (there.root / "proc/50/maps").write_text("")
    with pytest.raises(UserError, match=r"process 50 \(sleep\) is no rank of a parallel job"):
        there.find("50")


def test_a_stack_tells_the_call_and_its_place():
    gdb = (
        "[New LWP 12]\n0x00007f1 in sched_yield () from /lib/libc.so.6\n"
        "#0  0x00007f1 in sched_yield () from /lib/libc.so.6\n"
        "#1  0x00007f2 in ?? () from /usr/lib/libmpich.so.12\n"
        "#2  0x00007f3 in PMPI_Recv () from /usr/lib/libmpich.so.12\n"
        "#3  0x0000555 in exchange (n=3) at halo.c:71\n#4  main () at halo.c:90\n"
    )
    stack = parse(gdb)
    assert stack == ("sched_yield", "PMPI_Recv", "exchange", "main")
    assert call_of(stack) == ("MPI_Recv", "exchange")
    assert call_of(("pmpi_barrier_", "step", "MAIN__")) == ("MPI_Barrier", "step")
    assert call_of(("PMPI_Send", "internal", "PMPI_Allreduce", "main")) == ("MPI_Allreduce", "main")
    assert call_of(("spin", "main")) == ("", "")
