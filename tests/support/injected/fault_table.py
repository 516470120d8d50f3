"""The faults of launches that are provoked: how, and what `leadline check` has to call them."""

import contextlib
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import NamedTuple

from injected.checked import PROGRAMS, REFUSE, Findings, Launch, Started

_CGROUPS = Path("/sys/fs/cgroup/cpu")
# The launchers of other MPIs that a program of one is started with.
_FOREIGN = {
    "mpich-4": ("openmpi-4", "openmpi-5"),
    "mpich-5": ("openmpi-5", "openmpi-4"),
    "openmpi-4": ("mpich-4", "mpich-5"),
    "openmpi-5": ("mpich-5", "mpich-4"),
    "intel-2021": ("openmpi-4", "openmpi-5"),
}
Programs = Mapping[str, Started]


class CannotProvoke(Exception):
    """Why a fault cannot be provoked with an MPI or on this machine."""


class Provoked(NamedTuple):
    """A launch with a fault, and how it is launched once a fix is done."""

    launch: Launch
    mend: Callable[[str], Launch]
    alone: bool = False


class Fault(NamedTuple):
    """A fault: `kind` is its name in the answer. `provoke` raises `CannotProvoke`."""

    name: str
    kind: str
    provoke: Callable[[Started, Programs, Path], AbstractContextManager[Provoked]]


FAULTS: list[Fault] = []
_Simple = Callable[[Started], Launch | Provoked]


def prove(fault: Fault, start: Started, programs: Programs, folder: Path) -> None:
    """Provoke a fault: it is called what it is, and gone once what the fix says is done."""
    with fault.provoke(start, programs, folder) as provoked:
        found: Findings = start.faults(provoked.launch)
        assert fault.kind in found, (start.label, found)
        assert len(found) == 1 or not provoked.alone, (start.label, found)
        fix = found[fault.kind]["fix"]
        assert fault.kind not in start.faults(provoked.mend(fix)), (start.label, fix)


def _simple(name: str, kind: str) -> Callable[[_Simple], _Simple]:
    """Enter a fault that a command has: the fix is a command that is typed instead."""

    def entered(make: _Simple) -> _Simple:
        def provoke(
            start: Started, programs: Programs, folder: Path
        ) -> AbstractContextManager[Provoked]:
            made = make(start)
            if isinstance(made, Launch):
                made = Provoked(made, made.typed)
            return nullcontext(made)

        FAULTS.append(Fault(name, kind, provoke))
        return make

    return entered


@_simple("all ranks on one core", "cores_shared")
def _one_core(start: Started) -> Provoked:
    _needs_cores(2)
    # Open MPI binds each rank anew; what comes after that confines it for sure.
    confined = ("taskset", "-c", str(_cores()[0]))
    if start.family == "openmpi":
        launch = Launch(start.command(wrapper=confined))
    else:
        launch = Launch(start.command(before=confined))
    return Provoked(launch, launch.typed, alone=True)


@_simple("two ranks that the launcher binds to one core", "cores_shared")
def _bound_to_one(start: Started) -> Launch:
    _needs_cores(2)
    core = _cores()[0]
    if start.label == "openmpi-4":
        return Launch(start.command("--cpu-set", str(core), "--bind-to", "core:overload-allowed"))
    if start.label == "openmpi-5":
        options = ("--map-by", "slot:OVERSUBSCRIBE", "--bind-to", "core:overload-allowed")
        confined = ("--prtemca", "hwloc_default_cpu_list", str(core))
        return Launch(start.command(*options, *confined))
    if start.family == "intel":
        where = {"I_MPI_PIN_PROCESSOR_LIST": f"{core},{core}"}
        return Launch(start.command(), variables=where)
    return Launch(start.command("-bind-to", f"user:{core},{core}"))


@_simple("threads on the core of their rank", "threads_squeezed")
def _threads_on_one_core(start: Started) -> Launch:
    _needs_cores(2)
    return Launch(start.command(*bound(start), processes=1), (), _threads(2, start))


@_simple("threads of each of two ranks on one core", "threads_squeezed")
def _threads_of_two(start: Started) -> Launch:
    _needs_cores(2)
    return Launch(start.command(*bound(start)), (), _threads(2, start))


@_simple("more threads than cores", "oversubscribed")
def _more_threads(start: Started) -> Launch:
    variables = {"OMP_NUM_THREADS": str(len(_cores()))}
    if start.family == "intel":
        variables["I_MPI_PIN"] = "0"
    return Launch(start.command(*free(start)), (), variables)


@_simple("more ranks than cores", "oversubscribed")
def _more_ranks(start: Started) -> Launch:
    more = ("--map-by", ":OVERSUBSCRIBE", "--bind-to", "none") if start.family == "openmpi" else ()
    return Launch(start.command(*more, processes=len(_cores()) + 2))


@_simple("a shell confined to one core", "oversubscribed")
def _confined_shell(start: Started) -> Provoked:
    _needs_cores(2)
    confined = ("taskset", "-c", str(_cores()[0]))
    more = ("--map-by", ":OVERSUBSCRIBE", "--bind-to", "none") if start.family == "openmpi" else ()
    command = start.command(*more)

    def mend(fix: str) -> Launch:
        typed = ("sh", "-c", f'{fix} >/dev/null; exec "$0" "$@"')
        return Launch(command, (*confined, *typed))

    return Provoked(Launch(command, confined), mend)


@_simple("threads that OpenMP pins to one core", "threads_pinned_together")
def _pinned_by_openmp(start: Started) -> Launch:
    _needs_cores(2)
    if start.family != "mpich":
        raise CannotProvoke("its launcher binds ranks before OpenMP does")
    return Launch(start.command(), (), {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores"})


@_simple("TCP inside the host", "tcp_inside_node")
def _tcp(start: Started) -> Launch:
    if start.family == "openmpi":
        return Launch(start.command("--mca", "pml", "ob1", "--mca", "btl", "tcp,self"))
    if start.family == "intel":
        return Launch(start.command(), (), {"I_MPI_FABRICS": "ofi", "FI_PROVIDER": "tcp"})
    return Launch(start.command(), (), {"MPIR_CVAR_NOLOCAL": "1", "UCX_TLS": "tcp"})


@_simple("single copies that a setting forbids", "single_copy_refused")
def _copies_forbidden(start: Started) -> Launch:
    name, value = {
        "openmpi-4": ("OMPI_MCA_btl_vader_single_copy_mechanism", "none"),
        "openmpi-5": ("OMPI_MCA_smsc", "^cma,xpmem,knem"),
        "intel-2021": ("I_MPI_SHM_CMA", "0"),
    }.get(start.label, ("UCX_TLS", "^cma"))
    return Launch(start.command(), (), {name: value})


@_simple("single copies that a container's filter refuses", "single_copy_refused")
def _copies_refused(start: Started) -> Provoked:
    """The fix is that of the container: without the filter nothing is refused."""
    refused = ("python3", REFUSE)
    command = start.command()

    def mend(fix: str) -> Launch:
        if "SYS_PTRACE" in fix:
            return Launch(command)
        # The program failed. With the fix it runs, and check then names the fix of the container.
        found = start.faults(Launch(command, refused).typed(fix))
        told = found.get("single_copy_refused", {}).get("fix", "")
        return Launch(command) if "SYS_PTRACE" in told else Launch(command, refused)

    return Provoked(Launch(command, refused), mend)


@_simple("a low priority", "low_priority")
def _nice(start: Started) -> Launch:
    return Launch(start.command(before=("nice", "-n", "5")))


@_simple("a scheduling class for idle times", "low_priority")
def _idle(start: Started) -> Launch:
    return Launch(start.command(wrapper=("chrt", "--idle", "0")))


@_simple("a small limit of locked memory", "memory_lock")
def _small_limit(start: Started) -> Launch:
    return Launch(start.command(before=("prlimit", "--memlock=65536:8388608")))


@_simple("a view of System V memory for each rank", "namespaces_apart")
def _ipc_apart(start: Started) -> Launch:
    _needs_root()
    return Launch(start.command(wrapper=("unshare", "--ipc")))


@_simple("process numbers of their own for each rank", "namespaces_apart")
def _pids_apart(start: Started) -> Launch:
    _needs_root()
    return Launch(start.command(wrapper=("unshare", "--pid", "--fork")))


@_simple("a forced algorithm", "collectives_forced")
def _forced(start: Started) -> Launch:
    forced = {
        "openmpi": {
            "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
            "OMPI_MCA_coll_tuned_allreduce_algorithm": "1",
        },
        "intel": {"I_MPI_ADJUST_ALLREDUCE": "1"},
    }
    variables = forced.get(start.family, {"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "smp"})
    return Launch(start.command(), (), variables)


@_simple("ranks that yield for nothing", "yields_for_nothing")
def _yields(start: Started) -> Launch:
    name = {
        "openmpi": "OMPI_MCA_mpi_yield_when_idle",
        "mpich": "MPIR_CVAR_POLLS_BEFORE_YIELD",
        "intel": "I_MPI_WAIT_MODE",
    }[start.family]
    return Launch(start.command(), (), {name: "1"})


@_simple("a small shared memory", "shared_memory_small")
def _small_shared_memory(start: Started) -> Provoked:
    _needs_root()
    mounted = 'mount -t tmpfs -o size={} tmpfs /dev/shm; exec "$0" "$@"'
    command = start.command()

    def inside(size: str) -> Launch:
        return Launch(("unshare", "-m", "sh", "-c", mounted.format(size), *command))

    def mend(fix: str) -> Launch:
        found = re.search(r"size=(\w+)", fix)
        return inside(found[1] if found else "24m")

    return Provoked(inside("24m"), mend)


@_simple("a shared memory that nobody may write", "shared_memory_read_only")
def _read_only_shared_memory(start: Started) -> Provoked:
    _needs_root()
    if start.family != "openmpi":
        raise CannotProvoke("this MPI does not start without shared memory")
    mounted = 'mount -t tmpfs tmpfs /dev/shm; mount -o remount,{} /dev/shm; exec "$0" "$@"'

    def inside(option: str) -> Launch:
        return Launch(("unshare", "-m", "sh", "-c", mounted.format(option), *start.command()))

    return Provoked(inside("ro"), lambda fix: inside("rw" if "remount,rw" in fix else "ro"))


@_simple("a tracer", "traced")
def _traced(start: Started) -> Launch:
    if not shutil.which("strace"):
        raise CannotProvoke("no strace here: install strace")
    return Launch(start.command(wrapper=("strace", "-o", os.devnull)))


def _wrong_launcher(
    start: Started, programs: Programs, folder: Path
) -> AbstractContextManager[Provoked]:
    there = [label for label in _FOREIGN[start.label] if label in programs]
    if not there:
        raise CannotProvoke(f"no {' and no '.join(_FOREIGN[start.label])} here")
    launch = Launch((programs[there[0]].mpiexec, "-n", "2", *start.program))
    return nullcontext(Provoked(launch, launch.typed))


FAULTS.append(Fault("the launcher of another MPI", "wrong_launcher", _wrong_launcher))


def _other_library(
    start: Started, programs: Programs, folder: Path
) -> AbstractContextManager[Provoked]:
    """Give one of two ranks a copy of the library, as another version that is found first."""
    loaded = Path(start.check(Launch(start.command()))["ranks"][0]["library"])
    copy = _copied(loaded, folder / f"library-{start.label}")
    one = ("-n", "1", *start.program)
    given = (
        ("-x", f"LD_PRELOAD={copy}")
        if start.family == "openmpi"
        else ("-env", "LD_PRELOAD", str(copy))
    )
    launch = Launch((start.mpiexec, *one, ":", *given, *one))
    return nullcontext(Provoked(launch, launch.typed))


FAULTS.append(Fault("another library in one rank", "libraries_differ", _other_library))


@contextmanager
def _half_a_core(start: Started, programs: Programs, folder: Path) -> Iterator[Provoked]:
    _needs_root()
    if not (_CGROUPS / "cpu.cfs_quota_us").exists():
        raise CannotProvoke("control groups of version 2 belong to systemd here")
    group = _CGROUPS / f"leadline-check-{os.getpid()}"
    group.mkdir()
    script = f'echo $$ > {group}/cgroup.procs; exec "$0" "$@"'
    launch = Launch(("sh", "-c", script, *start.command()))

    def mend(fix: str) -> Launch:
        subprocess.run(["sh", "-c", fix.replace("sudo ", "")], check=True, capture_output=True)
        return launch

    try:
        (group / "cpu.cfs_quota_us").write_text("50000")
        yield Provoked(launch, mend)
    finally:
        with contextlib.suppress(OSError):
            group.rmdir()


FAULTS.append(Fault("half a core for all", "cpu_quota", _half_a_core))


def _unlinked(start: Started, programs: Programs, folder: Path) -> AbstractContextManager[Provoked]:
    """Build the program by hand, so that nothing says where its library is."""
    if start.prefix.is_relative_to("/usr"):
        raise CannotProvoke("its library is where the loader always looks")
    if start.family != "mpich":
        raise CannotProvoke("its launcher tells the loader where its library is")
    program = folder / f"unlinked-{start.label}"
    words = ["cc", "-O1", "-fopenmp", str(PROGRAMS / "exchange.c"), "-o", str(program)]
    where = [f"-I{start.prefix / 'include'}", f"-L{start.prefix / 'lib'}", "-lmpi"]
    subprocess.run([*words, *where, "-Wl,--allow-shlib-undefined"], check=True)
    command = (start.mpiexec, "-n", "2", str(program), *start.program[1:])
    launch = Launch(command)
    return nullcontext(Provoked(launch, launch.typed))


FAULTS.append(Fault("a library that the loader does not find", "library_not_loaded", _unlinked))


def _copied(library: Path, folder: Path) -> Path:
    """Return a copy of a library, with the files that it loads from its own folder."""
    folder.mkdir(exist_ok=True)
    if not library.is_relative_to("/usr"):
        for each in library.parent.iterdir():
            if each.name != library.name:
                (folder / each.name).symlink_to(each)
    return Path(shutil.copy(library, folder / library.name))


def _cores() -> list[int]:
    return sorted(os.sched_getaffinity(0))


def _needs_cores(count: int) -> None:
    if len(_cores()) < count:
        raise CannotProvoke(f"needs {count} cores")


def _needs_root() -> None:
    if os.getuid():
        raise CannotProvoke("needs root: run as root")


def _threads(count: int, start: Started) -> dict[str, str]:
    pinned = {"I_MPI_PIN_DOMAIN": "1"} if start.family == "intel" else {}
    return {"OMP_NUM_THREADS": str(count), **pinned}


def bound(start: Started) -> tuple[str, ...]:
    """Return the options that bind each rank to a core of its own."""
    own = {"openmpi": ("--bind-to", "core"), "mpich": ("-bind-to", "core")}
    return own.get(start.family, ())


def free(start: Started) -> tuple[str, ...]:
    """Return the options that bind no rank."""
    own = {"openmpi": ("--bind-to", "none"), "mpich": ("-bind-to", "none")}
    return own.get(start.family, ())
