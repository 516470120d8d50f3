"""Hydra, the `mpiexec` of MPICH and its relatives, and Intel's own one."""

import msgspec

from leadline.core.errors import CRASHED, GAVE_UP, MISSING, Failure
from leadline.measure.knobs.knob import Unsupported
from leadline.model.installation import Installation
from leadline.model.job import Job, Start
from leadline.topology.rank_order.formats import IntelMachineFile, rank_map
from leadline.topology.rank_order.order import cycle

FAILURES = (
    Failure(r"execvp error on file \S+ \([^)]*\)", MISSING),
    Failure(r"(PID \d+ RUNNING AT \S+ = )?KILLED BY SIGNAL: (?!9 )\d+ \([^)]*\)", CRASHED),
    Failure(
        r"(KILLED BY SIGNAL: 9 \(Killed\)|Killed \(signal 9\))",
        "somebody killed a rank, or the kernel did for want of memory (see `dmesg`)",
    ),
    Failure(r"Bus error \(signal 7\)", "/dev/shm may be full (see `df /dev/shm`)"),
    Failure(r"(?<=EXIT STRING: )[^()]{1,40}\(signal \d+\)", CRASHED),
    Failure(r"application called MPI_Abort\([^)]*\)", GAVE_UP),
    Failure(
        r"(Unable to run bstrap_proxy on \S+|Launch proxy failed"
        r"|error waiting for event|unable to (send|write) \S+ (downstream|to proxy))",
        "check that each of --hosts is up, that `ssh HOST true` asks for no password, and that "
        "this MPI is installed in the same place there",
    ),
)
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
    >>> mpich = Installation(name="mpich-5.0.2", family="mpich", version="5.0.2",
    ...     prefix="/opt/mpich", source="PATH", mpiexec="/opt/mpich/bin/mpiexec")
    >>> job = Job(program=("./probe",), placement=Placement(1, 2), environment={"A": "b c"})
    >>> hydra(job, mpich).argv  # doctest: +NORMALIZE_WHITESPACE
    ('/opt/mpich/bin/mpiexec', '-bind-to', 'core', '-genv', 'A', 'b c', '-n', '2', './probe')
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
    if installation.family == "mpich" and _version(installation) >= _RANK_MAP:
        return ("-hosts", ",".join(job.nodes), "-rankmap", rank_map(job.ranks_by_node))
    if in_turn := cycle(job.ranks_by_node):
        nodes, block = in_turn
        return ("-hosts", ",".join(job.nodes[node] for node in nodes), "-ppn", str(block))
    raise Unsupported(
        f"the mpiexec of {installation.name} deals ranks to the hosts in turn (smp, round-robin), "
        "and knows no other order: take MPICH 5.0.2 or newer"
    )


def _version(installation: Installation) -> tuple[int, ...]:
    return tuple(int(part) for part in installation.version.split(".") if part.isdigit())


def intel(job: Job, installation: Installation) -> Start:
    """Return the start by the Hydra of Intel MPI 2019 and newer, steered by I_MPI variables.

    >>> from leadline.model.placement import Placement
    >>> impi = Installation(name="intel-2021.19", family="intel", version="2021.19",
    ...     prefix="/opt/impi", source="PATH", mpiexec="/opt/impi/bin/mpiexec",
    ...     environment={"I_MPI_ROOT": "/opt/impi"})
    >>> job = Job(program=("./probe",), placement=Placement(1, 2))
    >>> start = intel(job, impi)
    >>> start.argv  # doctest: +NORMALIZE_WHITESPACE
    ('/opt/impi/bin/mpiexec', '-genv', 'I_MPI_PIN', '1', '-genv', 'I_MPI_PIN_DOMAIN', 'core',
     '-n', '2', './probe')
    >>> start.environment
    {'I_MPI_ROOT': '/opt/impi'}
    """
    bound = _PINNED if job.bind else _FREE
    ordered = job.nodes and job.ranks_by_node
    file = ("-machinefile", f"{job.folder}/{_MACHINE_FILE}")
    start = _start(
        job,
        installation,
        (*(file if ordered else _hosts_in_turn(job)), *_bootstrap(job)),
        {
            **(_INTEL_YIELD if job.oversubscribe else bound),
            **(_TCP if job.hosts.interface else {}),
        },
    )
    if not ordered:
        return start
    text = IntelMachineFile().text(job.ranks_by_node, job.hosts.names)
    return msgspec.structs.replace(start, files={_MACHINE_FILE: text})


def _bootstrap(job: Job) -> tuple[str, ...]:
    """Return how to reach hosts; those that are named it would reach with ssh even in a job."""
    if job.hosts.remote_shell:
        return ("-bootstrap", "ssh", "-bootstrap-exec", job.hosts.remote_shell)
    return ("-bootstrap", job.hosts.bootstrap) if job.hosts.bootstrap else ()


def _start(
    job: Job, installation: Installation, options: tuple[str, ...], variables: dict[str, str]
) -> Start:
    """Return the start of `job` with `options` and `variables` of one kind of Hydra.

    The options say which ranks go where. The job's own variables come last, so that they win.
    """
    named = {**variables, **_network(job), **job.environment}
    return Start(
        argv=(
            installation.mpiexec or "mpiexec",
            *options,
            *(word for name, value in named.items() for word in ("-genv", name, value)),
            "-n",
            str(job.placement.processes),
            *job.program,
        ),
        environment=dict(installation.environment),
    )


def _network(job: Job) -> dict[str, str]:
    """Keep UCX and libfabric to the interface that the hosts share, where it is known."""
    names = ("UCX_NET_DEVICES", "FI_TCP_IFACE") if job.hosts.interface else ()
    return dict.fromkeys(names, job.hosts.interface)


def _hosts_in_turn(job: Job) -> tuple[str, ...]:
    """Return the options that fill one host after the other."""
    if not job.nodes:
        return ()
    return ("-hosts", ",".join(job.nodes), "-ppn", str(job.placement.processes_per_node))
