"""Faults of launches, provoked for real: each is named, and its fix cures it."""

import contextlib
import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from provoked import REFUSE, faults, mended

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(600)]

CGROUPS = Path("/sys/fs/cgroup/cpu")
needs_two_cores = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two cores")
needs_root = pytest.mark.skipif(os.getuid() != 0, reason="needs root: run as root")


def prove(start, command, kind, *leading, **variables):
    """Prove that a command has a fault, and not when it is started as the fix says."""
    found = faults(start.check(command, *leading, **variables))
    assert kind in found, found
    left = mended(start, found[kind]["fix"], *leading, **variables)
    assert kind not in left, (found[kind]["fix"], left)
    return found


def test_nothing_is_wrong_with_a_healthy_launch(start):
    checked = start.check(start.command())
    assert faults(checked) == {}
    assert [each["rank"] for each in checked["ranks"]] == [0, 1]
    assert all(each["cores"] and each["threads"] and each["library"] for each in checked["ranks"])
    assert checked["transports"][0]["ways"][0].startswith("shared memory")


@needs_two_cores
def test_all_ranks_on_one_core(start):
    # Open MPI binds each rank anew; what comes after that confines it for sure.
    where = "wrapper" if start.family == "openmpi" else "before"
    found = prove(start, start.command(**{where: ("taskset", "-c", "0")}), "cores_shared")
    assert set(found) == {"cores_shared"}


@needs_two_cores
def test_threads_on_the_core_of_their_rank(start):
    command = start.command(*_bound(start), processes=1)
    prove(start, command, "threads_squeezed", OMP_NUM_THREADS="2")


@needs_two_cores
def test_threads_of_two_ranks_on_a_core_each(start):
    """There are too few cores for more: the fix is fewer threads."""
    prove(start, start.command(*_bound(start)), "threads_squeezed", OMP_NUM_THREADS="2")


def test_more_threads_than_cores(start):
    threads = str(len(os.sched_getaffinity(0)))
    prove(start, start.command(*_free(start)), "oversubscribed", OMP_NUM_THREADS=threads)


def test_more_ranks_than_cores(start):
    more = ("--map-by", ":OVERSUBSCRIBE", "--bind-to", "none") if start.family == "openmpi" else ()
    count = len(os.sched_getaffinity(0)) + 2
    prove(start, start.command(*more, processes=count), "oversubscribed")


@needs_two_cores
def test_threads_that_openmp_pins_to_one_core(start):
    if start.family == "openmpi":
        pytest.skip("Open MPI binds ranks before OpenMP does")
    prove(
        start, start.command(), "threads_pinned_together", OMP_PROC_BIND="close", OMP_PLACES="cores"
    )


@pytest.mark.parametrize(("label", "other"), [
    ("mpich-4", "openmpi-4"), ("openmpi-4", "mpich-4"), ("openmpi-4", "mpich-5"),
    ("mpich-5", "openmpi-5"),
])  # fmt: skip
def test_the_launcher_of_another_mpi(programs, label, other):
    if label not in programs or other not in programs:
        pytest.skip(f"no {label} and {other} here")
    start, launcher = programs[label], programs[other].mpiexec
    prove(start, [launcher, "-n", "2", *start.program], "wrong_launcher")


def test_tcp_inside_the_host(start):
    if start.family == "openmpi":
        prove(
            start,
            start.command("--mca", "pml", "ob1", "--mca", "btl", "tcp,self"),
            "tcp_inside_node",
        )
    else:
        prove(start, start.command(), "tcp_inside_node", MPIR_CVAR_NOLOCAL="1", UCX_TLS="tcp")


def test_single_copies_that_a_setting_forbids(start):
    name, value = {
        "openmpi-4": ("OMPI_MCA_btl_vader_single_copy_mechanism", "none"),
        "openmpi-5": ("OMPI_MCA_smsc", "^cma,xpmem,knem"),
    }.get(_label(start), ("UCX_TLS", "^cma"))
    found = faults(start.check(start.command(), **{name: value}))
    assert "single_copy_refused" in found
    assert "single_copy_refused" not in mended(
        start, found["single_copy_refused"]["fix"], **{name: value}
    )


def test_single_copies_that_a_filter_refuses(start):
    """As in a container, where leadline is under the filter, too."""
    refused = ("python3", REFUSE)
    found = faults(start.check(start.command(), *refused))
    fault = found["single_copy_refused"]
    if "SYS_PTRACE" not in fault["fix"]:
        # The program failed: with the fix it runs, and copies twice.
        assert mended(start, fault["fix"], *refused)["single_copy_refused"]["fix"]
        return
    if "tcp_inside_node" in found:
        left = mended(start, found["tcp_inside_node"]["fix"], *refused)
        assert "tcp_inside_node" not in left
    assert faults(start.check(start.command())) == {}


def test_a_library_path_of_one_rank_alone(programs, tmp_path):
    if "mpich-4" not in programs:
        pytest.skip("no mpich-4 here")
    start = programs["mpich-4"]
    loaded = Path(start.check(start.command())["ranks"][0]["library"])
    shutil.copy(loaded, tmp_path / _soname(start.program[0]))
    one = ("-n", "1", *start.program)
    command = [start.mpiexec, *one, ":", "-env", "LD_LIBRARY_PATH", str(tmp_path), *one]
    prove(start, command, "libraries_differ")


def test_a_low_priority(start):
    prove(start, start.command(before=("nice", "-n", "5")), "low_priority")


def test_a_small_limit_of_locked_memory(start):
    prove(start, start.command(before=("prlimit", "--memlock=65536:8388608")), "memory_lock")


def test_namespaces_of_their_own(start):
    if os.getuid():
        pytest.skip("needs root: run as root")
    prove(start, start.command(wrapper=("unshare", "--ipc")), "namespaces_apart")


def test_a_forced_algorithm(start):
    forced = {
        "openmpi": {
            "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
            "OMPI_MCA_coll_tuned_allreduce_algorithm": "1",
        }
    }.get(start.family, {"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "smp"})
    prove(start, start.command(), "collectives_forced", **forced)


def test_ranks_that_yield_for_nothing(start):
    variable = {
        "openmpi": "OMPI_MCA_mpi_yield_when_idle",
        "mpich": "MPIR_CVAR_POLLS_BEFORE_YIELD",
    }[start.family]
    prove(start, start.command(), "yields_for_nothing", **{variable: "1"})


@needs_root
def test_half_a_core_for_all(start):
    group = CGROUPS / f"leadline-check-{os.getpid()}"
    if not (CGROUPS / "cpu.cfs_quota_us").exists():
        pytest.skip("control groups of version 2 belong to systemd here")
    group.mkdir()
    try:
        (group / "cpu.cfs_quota_us").write_text("50000")
        script = f'echo $$ > {group}/cgroup.procs; exec "$0" "$@"'
        command = ["sh", "-c", script, *start.command()]
        found = faults(start.check(command))
        assert "cpu_quota" in found
        _type(found["cpu_quota"]["fix"])
        assert "cpu_quota" not in faults(start.check(command))
    finally:
        with contextlib.suppress(OSError):
            group.rmdir()


@needs_root
def test_a_small_shared_memory(start):
    mounted = 'mount -t tmpfs -o size=24m tmpfs /dev/shm; exec "$0" "$@"'
    found = faults(start.check(["unshare", "-m", "sh", "-c", mounted, *start.command()]))
    fix = found["shared_memory_small"]["fix"]
    size = fix.partition("size=")[2].partition(" ")[0]
    larger = f'mount -t tmpfs -o size={size} tmpfs /dev/shm; exec "$0" "$@"'
    assert not faults(start.check(["unshare", "-m", "sh", "-c", larger, *start.command()]))


def test_a_tracer(start):
    if not shutil.which("strace"):
        pytest.skip("no strace here: install strace")
    prove(start, start.command(wrapper=("strace", "-o", os.devnull)), "traced")


def _label(start):
    return Path(start.program[0]).name.removeprefix("exchange-")


def _bound(start):
    return ("--bind-to", "core") if start.family == "openmpi" else ("-bind-to", "core")


def _free(start):
    return ("--bind-to", "none") if start.family == "openmpi" else ("-bind-to", "none")


def _soname(program):
    said = subprocess.run(
        ["objdump", "-p", program], capture_output=True, text=True, check=True
    ).stdout
    return next(
        line.split()[1] for line in said.splitlines() if "NEEDED" in line and "libmpi" in line
    )


def _type(line):
    """Do what a line for root says, as root."""
    assert line.startswith(("sudo ", "echo "))
    subprocess.run(["sh", "-c", line.replace("sudo ", "")], check=True, capture_output=True)


def test_a_command_of_the_fix_can_be_typed(start):
    """It is one line of words that a shell takes apart as leadline put them together."""
    found = faults(start.check(start.command(before=("nice", "-n", "5"))))
    assert shlex.join(shlex.split(found["low_priority"]["fix"])) == found["low_priority"]["fix"]
