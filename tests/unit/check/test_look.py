"""Processes and their connections, as a made-up /proc shows them."""

import pytest

from leadline.check import look
from leadline.check.look import sockets_of
from leadline.check.ranks import Finder
from leadline.site.hardware.files import Files
from leadline.site.hardware.processors import quota_of, throttled_s

MPI = "7f00-7f01 r-xp 00000000 fe:00 42 /usr/lib/libmpi.so.12.1"
SEGMENT = "7f02-7f03 rw-s 00000000 00:19 77 /dev/shm/mpich_shm (deleted)"
OTHER_SEGMENT = "7f04-7f05 rw-s 00000000 00:19 78 /tmp/ompi.1/pmix-gds-shmem2.x"
VERBS = "7f06-7f07 rw-s 00000000 00:05 9 /dev/infiniband/uverbs0"


@pytest.fixture
def proc(tmp_path):
    """Give a function that makes a process: its parent, program, variables, and more files."""

    def make(pid, parent, command, variables=None, maps=(), **files):
        folder = tmp_path / "proc" / str(pid)
        (folder / "task" / str(pid)).mkdir(parents=True)
        stat = f"{pid} ({command}) R {parent} 1 1 0 0 0 0 0 0 0 5 5 0 0 20 3 1 0 {pid}"
        stat += " 0" * 16 + " 1 0 3 0 0 0 0 0 0 0 0 0 0"
        words = {
            "stat": stat,
            "maps": "\n".join(maps),
            "environ": "\0".join(f"{name}={value}" for name, value in (variables or {}).items()),
            "cmdline": f"./{command}\x009\x00",
            "status": "State: R\nCpus_allowed_list: 0-1\nTracerPid: 0\nSeccomp: 2\nVmSwap: 8 kB",
            "limits": "Max locked memory         65536                unlimited            bytes",
            **files,
        }
        for name, text in words.items():
            (folder / name).write_text(text)
        (folder / "task" / str(pid) / "stat").write_text(stat)
        (folder / "task" / str(pid) / "schedstat").write_text("1000 500 3")
        return Files(tmp_path)

    return make


def test_a_rank_is_what_has_the_mpi_below_its_wrapper(proc):
    rank = {"PMI_RANK": "0", "PMI_SIZE": "2", "PMI_FD": "9"}
    proc(10, 1, "mpiexec")
    proc(11, 10, "hydra_pmi_proxy", rank)
    proc(12, 11, "sh", rank)
    proc(13, 12, "app", rank, [MPI])
    files = proc(14, 11, "app", {**rank, "PMI_RANK": "1"}, [MPI])
    ranks = Finder(files, 10, "tag").find()
    assert [(each.pid, each.rank, each.size, each.launcher.name) for each in ranks] == [
        (13, 0, 2, "hydra"), (14, 1, 2, "hydra"),
    ]  # fmt: skip


def test_ranks_below_a_daemon_are_known_by_the_tag(proc):
    rank = {"SLURM_PROCID": "0", "SLURM_STEP_ID": "0", "SLURM_NTASKS": "1"}
    proc(10, 1, "srun")
    proc(20, 1, "slurmstepd")
    proc(21, 20, "app", {**rank, "LEADLINE_TAG": "mine"})
    files = proc(22, 20, "app", {**rank, "LEADLINE_TAG": "another's"})
    assert [each.pid for each in Finder(files, 10, "mine").find()] == [21]


def test_an_mpi_program_that_nobody_numbered_is_rank_0_of_1(proc):
    files = proc(10, 1, "app", {}, [MPI])
    (only,) = Finder(files, 10, "tag").find()
    assert (only.pid, only.rank, only.size, only.launcher.name) == (10, 0, 1, "none")


def test_what_is_no_mpi_program_has_no_ranks(proc):
    assert Finder(proc(10, 1, "make"), 10, "tag").find() == []


def test_a_rank_as_the_kernel_has_it(proc):
    variables = {"OMP_NUM_THREADS": "2", "UCX_TLS": "tcp", "UCX_TOKEN": "x", "HOME": "/root"}
    files = proc(10, 1, "app", variables, [MPI, SEGMENT, OTHER_SEGMENT, VERBS])
    rank = look.rank_of(files, 10, 3, variables, ("mpiexec",))
    assert rank.environment == {"OMP_NUM_THREADS": "2", "UCX_TLS": "tcp"}
    assert [library.file for library in rank.mpi] == ["fe:00:42"]
    assert rank.segments == ("00:19:77",)
    assert rank.devices == ("/dev/infiniband/uverbs0",)
    assert (rank.cores, rank.seccomp, rank.swapped_bytes) == ((0, 1), 2, 8192)
    assert (rank.lock_limit_bytes, rank.lock_most_bytes) == (65536, None)
    assert rank.program == ("./app", "9")


def test_threads_have_their_times_and_places(proc):
    ticks = look.threads_of(proc(10, 1, "app"), 10)[10]
    assert (ticks.ran_ns, ticks.waited_ns, ticks.nice) == (1000, 500, 3)


def test_connections_are_those_of_open_sockets(proc, tmp_path):
    files = proc(10, 1, "app")
    (tmp_path / "proc/10/fd").mkdir()
    (tmp_path / "proc/10/fd/3").symlink_to("socket:[55]")
    (tmp_path / "proc/10/net").mkdir()
    row = "0: 0100007F:{} 0200000A:0050 {} 0:0 0:0 0 0 0 {} 1"
    rows = [
        row.format("1F90", "01", 55),
        row.format("1F91", "01", 56),
        row.format("1F92", "0A", 55),
    ]
    (tmp_path / "proc/10/net/tcp").write_text("\n".join(["heading", *rows]))
    (only,) = sockets_of(files, 10)
    assert only == (55, ("127.0.0.1", 8080), ("10.0.0.2", 80))


@pytest.mark.parametrize(("group", "files", "quota"), [
    ("0::/job/step", {"job/cpu.max": "50000 100000", "job/step/cpu.max": "max 100000"},
     (0.5, "/sys/fs/cgroup/job/cpu.max")),
    ("3:cpu,cpuacct:/job",
     {"cpu/job/cpu.cfs_quota_us": "150000", "cpu/job/cpu.cfs_period_us": "100000"},
     (1.5, "/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us")),
    ("0::/job", {"job/cpu.max": "max 100000"}, (None, "")),
])  # fmt: skip
def test_the_smallest_quota_above_a_process_counts(tmp_path, group, files, quota):
    (tmp_path / "proc/9").mkdir(parents=True)
    (tmp_path / "proc/9/cgroup").write_text(group)
    for name, text in files.items():
        path = tmp_path / "sys/fs/cgroup" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert quota_of(Files(tmp_path), "9") == quota


def test_seconds_for_which_a_group_was_stopped(tmp_path):
    (tmp_path / "proc/9").mkdir(parents=True)
    (tmp_path / "proc/9/cgroup").write_text("0::/job")
    (tmp_path / "sys/fs/cgroup/job").mkdir(parents=True)
    (tmp_path / "sys/fs/cgroup/job/cpu.stat").write_text("nr_throttled 4\nthrottled_usec 1500000")
    assert throttled_s(Files(tmp_path), "9") == 1.5
