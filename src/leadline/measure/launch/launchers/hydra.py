"""MPICH and its relatives: `mpiexec` is Hydra."""

from leadline.core.failures import explain_first
from leadline.measure.knobs.knob import Unsupported
from leadline.measure.launch import hydra_family
from leadline.model.installation import Installation
from leadline.model.job import Job, Start
from leadline.topology.rank_order.formats.hydra import rank_map
from leadline.topology.rank_order.order import cycle

# MPICH polls through whole time slices of ranks that share its core; with these it gives the
# core away after every empty poll, and sleeps a little after many.
_YIELD = {
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


class Hydra:
    """MPICH 3 and newer, and MVAPICH.

    >>> from leadline.model.placement import Placement
    >>> mpich = Installation(name="mpich-5.0.2", family="mpich", version="5.0.2",
    ...     prefix="/opt/mpich", source="PATH", mpiexec="/opt/mpich/bin/mpiexec")
    >>> job = Job(program=("./probe",), placement=Placement(1, 2), environment={"A": "b c"})
    >>> LAUNCHER.start(job, mpich).argv  # doctest: +NORMALIZE_WHITESPACE
    ('/opt/mpich/bin/mpiexec', '-bind-to', 'core', '-genv', 'A', 'b c', '-n', '2', './probe')
    """

    name = "hydra"
    by_name_only = False

    def serves(self, installation: Installation, job: Job) -> bool:
        """Tell whether this is an MPICH or MVAPICH with a message-passing program."""
        return (
            installation.family in ("mpich", "mvapich")
            and installation.mpiexec is not None
            and job.api == "mpi"
        )

    def start(self, job: Job, installation: Installation) -> Start:
        """Return what to execute. Raises `Unsupported` for an order that this Hydra cannot make."""
        remote = ("-launcher", "ssh", "-launcher-exec", job.remote_shell)
        bind = "core" if job.bind and not job.oversubscribe else "none"
        return hydra_family.start(
            job,
            installation,
            (
                *_hosts(job, installation),
                *(remote if job.remote_shell else ()),
                *("-bind-to", bind),
            ),
            _YIELD if job.oversubscribe else {},
        )

    def explain(self, output: str) -> str | None:
        """Return one line on a failure that Hydra reports."""
        return explain_first(hydra_family.FAILURES, output)


def _hosts(job: Job, installation: Installation) -> tuple[str, ...]:
    if not job.hosts or not job.ranks_by_node:
        return hydra_family.hosts_in_turn(job)
    hosts = job.hosts[: job.placement.nodes]
    if installation.family == "mpich" and _version(installation) >= _RANK_MAP:
        return ("-hosts", ",".join(hosts), "-rankmap", rank_map(job.ranks_by_node))
    if in_turn := cycle(job.ranks_by_node):
        nodes, block = in_turn
        return ("-hosts", ",".join(hosts[node] for node in nodes), "-ppn", str(block))
    raise Unsupported(
        f"the mpiexec of {installation.name} deals ranks to the hosts in turn (smp, round-robin), "
        "and knows no other order: take MPICH 5.0.2 or newer"
    )


def _version(installation: Installation) -> tuple[int, ...]:
    return tuple(int(part) for part in installation.version.split(".") if part.isdigit())


LAUNCHER = Hydra()
