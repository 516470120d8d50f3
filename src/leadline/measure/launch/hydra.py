"""Hydra, the `mpiexec` of MPICH and its relatives, and Intel's own one."""

import msgspec

from leadline.core.errors import CRASHED, GAVE_UP, MISSING
from leadline.measure.knobs.knob import Unsupported
from leadline.model.installation import Installation
from leadline.model.job import Job, Start
from leadline.topology.rank_order.formats import intel_machines, rank_map
from leadline.topology.rank_order.order import cycle

FAILURES = {
    r"execvp error on file \S+ \([^)]*\)": MISSING,
    r"(PID \d+ RUNNING AT \S+ = )?KILLED BY SIGNAL: (?!9 )\d+ \([^)]*\)": CRASHED,
    r"(KILLED BY SIGNAL: 9 \(Killed\)|Killed \(signal 9\))": (
        "somebody killed a rank, or the kernel did for want of memory (see `dmesg`)"
    ),
    r"Bus error \(signal 7\)": "/dev/shm may be full (see `df /dev/shm`)",
    r"(?<=EXIT STRING: )[^()]{1,40}\(signal \d+\)": CRASHED,
    r"application called MPI_Abort\([^)]*\)": GAVE_UP,
    (
        r"(Unable to run bstrap_proxy on \S+|Launch proxy failed"
        r"|error waiting for event|unable to (send|write) \S+ (downstream|to proxy))"
    ): (
        "check that each of --hosts is up, that `ssh HOST true` asks for no password, and that "
        "this MPI is installed in the same place there"
    ),
}
# MPICH polls through whole time slices of ranks that share its core; with these it gives the
# core away after every empty poll, and sleeps a little after many.
_MPICH_YIELD = {
    "MPIR_CVAR_POLLS_BEFORE_YIELD": "1",
    "MPIR_CVAR_POSIX_POLL_FREQUENCY": "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "64",
    # MPICH 4.0 knows neither of the last two: probes/comm/yield.cpp does it for the probe.
    "LEADLINE_YIELD": "1",
}
# The first MPICH whose Hydra takes any order of ranks. From 4.2 on they know -rankmap too, and put
# the ranks elsewhere all the same (tried: 4.2.3, 4.3.1, 4.3.2, 5.0.0, 5.0.1).
_RANK_MAP = (5, 0, 2)
_PINNED = {"I_MPI_PIN": "1", "I_MPI_PIN_DOMAIN": "core"}
_FREE = {"I_MPI_PIN": "0"}
_MACHINE_FILE = "machinefile"
# Waiting ranks give their core away instead of polling through the others' time slices.
_INTEL_YIELD = {"I_MPI_PIN": "0", "I_MPI_THREAD_YIELD": "2"}
# An interface has a name only for TCP.
_TCP = {"FI_PROVIDER": "tcp"}


def hydra(job: Job, installation: Installation) -> Start:
    """Return the start by the Hydra of MPICH 3 and newer, and of MVAPICH.

    Raises `Unsupported` for an order that this Hydra cannot make.

    >>> from leadline.model.placement import Placement
    >>> there = Installation(name="m", family="mpich", version="5.0", prefix="", source="")
    >>> job = Job(program=("./probe",), placement=Placement(1, 2), environment={"A": "b c"})
    >>> hydra(job, there).argv
    ('mpiexec', '-bind-to', 'core', '-genv', 'A', 'b c', '-n', '2', './probe')
    """
    remote = ("-launcher", "ssh", "-launcher-exec", job.hosts.remote_shell)
    options = (
        *_ordered_hosts(job, installation),
        *(remote if job.hosts.remote_shell else ()),
        *("-bind-to", "core" if job.is_bound else "none"),
    )
    return _start(job, installation, options, _MPICH_YIELD if job.oversubscribe else {})


def _ordered_hosts(job: Job, installation: Installation) -> tuple[str, ...]:
    if not job.nodes or not job.ranks_by_node:
        return _hosts_in_turn(job)
    version = tuple(int(part) for part in installation.version.split(".") if part.isdigit())
    if installation.family == "mpich" and version >= _RANK_MAP:
        return ("-hosts", ",".join(job.nodes), "-rankmap", rank_map(job.ranks_by_node))
    if in_turn := cycle(job.ranks_by_node):
        nodes, block = in_turn
        return ("-hosts", ",".join(job.nodes[node] for node in nodes), "-ppn", str(block))
    raise Unsupported(
        f"the mpiexec of {installation.name} deals ranks to the hosts in turn (smp, round-robin), "
        "and knows no other order: take MPICH 5.0.2 or newer"
    )


def intel(job: Job, installation: Installation) -> Start:
    """Return the start by the Hydra of Intel MPI 2019 and newer, steered by I_MPI variables.

    Hosts that are named it would reach with ssh even in a job.

    >>> from leadline.model.placement import Placement
    >>> there = Installation(name="i", family="intel", version="2021", prefix="", source="")
    >>> intel(Job(program=("./probe",), placement=Placement(1, 2)), there).argv
    ... # doctest: +NORMALIZE_WHITESPACE
    ('mpiexec', '-genv', 'I_MPI_PIN', '1', '-genv', 'I_MPI_PIN_DOMAIN', 'core',
     '-n', '2', './probe')
    """
    hosts = _hosts_in_turn(job)
    bootstrap: tuple[str, ...] = ()
    files: dict[str, str] = {}
    if job.nodes and job.ranks_by_node:
        hosts = ("-machinefile", f"{job.folder}/{_MACHINE_FILE}")
        files = {_MACHINE_FILE: intel_machines(job.ranks_by_node, job.hosts.names)}
    if job.hosts.remote_shell:
        bootstrap = ("-bootstrap", "ssh", "-bootstrap-exec", job.hosts.remote_shell)
    elif job.hosts.bootstrap:
        bootstrap = ("-bootstrap", job.hosts.bootstrap)
    pinning = _PINNED if job.bind else _FREE
    variables = (_INTEL_YIELD if job.oversubscribe else pinning) | (
        _TCP if job.hosts.interface else {}
    )
    start = _start(job, installation, (*hosts, *bootstrap), variables)
    return msgspec.structs.replace(start, files=files)


def _start(
    job: Job, installation: Installation, options: tuple[str, ...], variables: dict[str, str]
) -> Start:
    """Return the start of `job` with `options` and `variables` of one kind of Hydra.

    The options say which ranks go where. UCX and libfabric are kept to the interface that the hosts
    share, where it is known. The job's own variables come last, so that they win.
    """
    names = ("UCX_NET_DEVICES", "FI_TCP_IFACE") if job.hosts.interface else ()
    named = {**variables, **dict.fromkeys(names, job.hosts.interface), **job.environment}
    return Start(
        argv=(
            installation.mpiexec or "mpiexec",
            *options,
            *(word for name, value in named.items() for word in ("-genv", name, value)),
            *("-n", str(job.placement.processes)),
            *job.program,
        ),
        environment=dict(installation.environment),
    )


def _hosts_in_turn(job: Job) -> tuple[str, ...]:
    """Return the options that fill one host after the other."""
    if not job.nodes:
        return ()
    return ("-hosts", ",".join(job.nodes), "-ppn", str(job.placement.processes_per_node))
