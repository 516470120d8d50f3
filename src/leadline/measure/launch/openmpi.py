"""Open MPI's launchers: ORTE's up to version 4, PRRTE's from 5 on, and `oshrun` of either."""

import msgspec

from leadline.core.errors import CRASHED, ENDED, GAVE_UP, MISSING
from leadline.measure.knobs.knob import major
from leadline.model.installation import Installation
from leadline.model.job import Job, Start
from leadline.topology.rank_order.formats import openmpi_ranks
from leadline.topology.rank_order.order import node_of_each

# mpiexec refuses root without both; anybody else is not affected. Containers are often root.
_ALLOW_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
_RANK_FILE = "rankfile"
# UCX's memory hook outlives its library there, so that every program crashes in shmem_finalize
# (issue 11604 of Open MPI); without the hook UCX only loses its cache of pinned memory.
_HOOK_CRASHES = ("4.1.4", "4.1.5")
_NO_HOOK = {"OMPI_MCA_opal_common_ucx_opal_mem_hooks": "0"}

FAILURES = {
    r"There are not enough slots available in the system to satisfy the \d+ slots": (
        "take fewer processes, or add --oversubscribe to measure anyway"
    ),
    (
        r"A request was made to bind (to )?that would (result in binding more processes than cpus"
        r" on a resource|require binding processes to more cpus than are available)"
    ): "take fewer processes, or measure without binding (--no-bind)",
    (
        r"unable to launch the specified application as it could not (find|access)"
        r".*? Executable: \S+"
    ): MISSING,
    r"\S+ has detected an attempt to run as root": (
        "run as another user, or set OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"
    ),
    r"MPI_ABORT was invoked on rank \d+": GAVE_UP,
    r"process rank \d+ with PID \d+ on node \S+ exited on signal 9 \(Killed\)": (
        "somebody killed it, or the kernel did for want of memory (see `dmesg`)"
    ),
    r"process rank \d+ with PID \d+ on node \S+ exited on signal 7 \(Bus error\)": (
        "/dev/shm may be full (see `df /dev/shm`)"
    ),
    r"process rank \d+ with PID \d+ on node \S+ exited on signal \d+ \([^)]*\)": CRASHED,
    (
        r"(ORTE was unable to reliably start one or more daemons"
        r"|A daemon failed to report back after being spawned"
        r"|An ORTE daemon has unexpectedly failed)"
    ): (
        "check that `ssh HOST true` works without a password for each of --hosts, and that this "
        "Open MPI is installed in the same place there"
    ),
    r"lost communication with a remote daemon(?=.*? on node \S+)": (
        "that host has failed, or its link is cut"
    ),
    r"(Process name: \S+ )?Exit code: \d+": ENDED,
}


def openmpi(job: Job, installation: Installation) -> Start:
    """Return the start of a message-passing program by the `mpiexec` of this version.

    Up to version 4 that is ORTE's `orterun`, from 5 on PRRTE's `prterun`.

    >>> from leadline.model.placement import Placement
    >>> there = Installation(name="o", family="openmpi", version="4.1.4", prefix="", source="")
    >>> job = Job(program=("./probe",), placement=Placement(1, 2), environment={"A": "b c"})
    >>> openmpi(job, there).argv  # doctest: +NORMALIZE_WHITESPACE
    ('mpiexec', '--mca', 'btl_tcp_if_include', 'lo',
     '--map-by', 'core', '--bind-to', 'core', '-x', 'A=b c', '-np', '2', './probe')
    """
    return _start(installation.mpiexec, job, installation)


def oshrun(job: Job, installation: Installation) -> Start:
    """Return the start of a SHMEM program: `oshrun` is the `mpiexec` by another name.

    >>> from leadline.model.placement import Placement
    >>> there = Installation(name="o", family="openmpi", version="4.1.4", prefix="", source="",
    ...     oshrun="oshrun")
    >>> job = Job(program=("./probe",), placement=Placement(1, 2), api="shmem")
    >>> oshrun(job, there).argv  # doctest: +NORMALIZE_WHITESPACE
    ('oshrun', '--mca', 'btl_tcp_if_include', 'lo',
     '--map-by', 'core', '--bind-to', 'core', '-np', '2', './probe')
    """
    start = _start(installation.oshrun, job, installation)
    environment = {**start.environment, **oshrun_variables(installation)}
    return msgspec.structs.replace(start, environment=environment)


def oshrun_variables(installation: Installation) -> dict[str, str]:
    """Return the variables without which programs of this version crash."""
    return _NO_HOOK if installation.version in _HOOK_CRASHES else {}


def _start(executable: str | None, job: Job, installation: Installation) -> Start:
    """Return the start of `job` by `executable`.

    On this machine alone, TCP is kept to the loopback interface: left alone it sets up sockets on
    every real one, and carries no messages. With hosts, OMPI_MCA_btl_tcp_if_include names one.
    """
    ucx = {"UCX_NET_DEVICES": job.hosts.interface} if job.hosts.interface else {}
    named = {**ucx, **job.environment}
    # Hosts are named once a rank for the mapper `seq`, which takes any order. ORTE's binds nothing,
    # so that bound ranks need a rank file there, which in turn cannot leave ranks free.
    orte, ordered = major(installation) <= 4, bool(job.nodes and job.ranks_by_node)
    rank_file = orte and ordered and job.is_bound
    options = _orte_options(job, ordered) if orte else _prrte_options(job, ordered)
    return Start(
        argv=(
            executable or "mpiexec",
            *_hosts(job, ordered),
            *options,
            *(word for item in named.items() for word in ("-x", "=".join(item))),
            *("-np", str(job.placement.processes)),
            *job.program,
        ),
        environment={**installation.environment, **_ALLOW_ROOT},
        files=(
            {_RANK_FILE: openmpi_ranks(job.ranks_by_node, job.hosts.names)} if rank_file else {}
        ),
    )


def _hosts(job: Job, ordered: bool) -> tuple[str, ...]:
    if not job.nodes:
        return ("--mca", "btl_tcp_if_include", "lo")
    if ordered:
        hosts = [job.nodes[node] for node in node_of_each(job.ranks_by_node)]
    else:
        hosts = [f"{host}:{job.placement.processes_per_node}" for host in job.nodes]
    network = ("--mca", "btl_tcp_if_include", job.hosts.interface)
    # The tag by which left-over ranks are found does not travel by itself.
    tag = ("-x", "LEADLINE_TAG")
    return ("--host", ",".join(hosts), *tag, *(network if job.hosts.interface else ()))


# Oversubscribed ranks must give their core away while they wait, otherwise each waits out the
# others' time slices.
_YIELD = ("--mca", "mpi_yield_when_idle", "1")


def _orte_options(job: Job, ordered: bool) -> tuple[str, ...]:
    """Return where ranks go and to which core they are bound: one host's cores, then the next's."""
    remote = ("--mca", "plm_rsh_agent", job.hosts.remote_shell) if job.hosts.remote_shell else ()
    free = ("--map-by", "seq" if ordered else "slot", "--bind-to", "none")
    if job.oversubscribe:
        return (*remote, "--oversubscribe", *free, *_YIELD)
    if job.bind and ordered:
        return (*remote, "--rankfile", f"{job.folder}/{_RANK_FILE}", "--bind-to", "core")
    if job.bind:
        return (*remote, "--map-by", "core", "--bind-to", "core")
    return (*remote, *free)


def _prrte_options(job: Job, ordered: bool) -> tuple[str, ...]:
    """Return the same in PRRTE's words."""
    shell = job.hosts.remote_shell
    remote = ("--prtemca", "plm_ssh_agent", shell) if shell else ()
    slot, core = ("seq", "seq") if ordered else ("slot", "core")
    if job.oversubscribe:
        return (*remote, "--map-by", f"{slot}:oversubscribe", "--bind-to", "none", *_YIELD)
    if job.bind:
        return (*remote, "--map-by", core, "--bind-to", "core")
    return (*remote, "--map-by", slot, "--bind-to", "none")
