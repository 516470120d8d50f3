"""What the launchers that descend from Hydra share: MPICH's own and Intel's."""

from leadline.core.failures import Failure
from leadline.model.installation import Installation
from leadline.model.job import Job, Start

FAILURES = (
    Failure(
        r"execvp error on file \S+ \([^)]*\)",
        "the program is missing or may not be executed on that host",
    ),
    Failure(
        r"(PID \d+ RUNNING AT \S+ = )?KILLED BY SIGNAL: (?!9 )\d+ \([^)]*\)",
        "the program crashed; what it printed last is in stderr.txt",
    ),
    Failure(
        r"(KILLED BY SIGNAL: 9 \(Killed\)|Killed \(signal 9\))",
        "somebody killed a rank, or the kernel did for want of memory (see `dmesg`)",
    ),
    Failure(r"Bus error \(signal 7\)", "/dev/shm may be full (see `df /dev/shm`)"),
    Failure(
        r"(?<=EXIT STRING: )[^()]{1,40}\(signal \d+\)",
        "the program crashed; what it printed last is in stderr.txt",
    ),
    Failure(
        r"application called MPI_Abort\([^)]*\)",
        "the program gave up; its own words are in stderr.txt",
    ),
    Failure(
        r"(Unable to run bstrap_proxy on \S+|Launch proxy failed"
        r"|error waiting for event|unable to (send|write) \S+ (downstream|to proxy))",
        "check that each of --hosts is up, that `ssh HOST true` asks for no password, and that "
        "this MPI is installed in the same place there",
    ),
)


def start(
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
    names = ("UCX_NET_DEVICES", "FI_TCP_IFACE") if job.interface else ()
    return dict.fromkeys(names, job.interface)


def hosts_in_turn(job: Job) -> tuple[str, ...]:
    """Return the options that fill one host after the other."""
    if not job.hosts:
        return ()
    hosts = ",".join(job.hosts[: job.placement.nodes])
    return ("-hosts", hosts, "-ppn", str(job.placement.processes_per_node))
