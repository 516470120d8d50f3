"""Intel MPI: `mpiexec` is a Hydra of its own, steered by I_MPI variables."""

import msgspec

from leadline.core.failures import explain_first
from leadline.measure.launch import hydra_family
from leadline.model.installation import Installation
from leadline.model.job import Job, Start
from leadline.topology.rank_order.formats.intel import FORMAT

_PINNED = {"I_MPI_PIN": "1", "I_MPI_PIN_DOMAIN": "core"}
_FREE = {"I_MPI_PIN": "0"}
_MACHINE_FILE = "machinefile"
# Waiting ranks give their core away instead of polling through the others' time slices.
_YIELD = {"I_MPI_PIN": "0", "I_MPI_THREAD_YIELD": "2"}
# An interface has a name only for TCP.
_TCP = {"FI_PROVIDER": "tcp"}


class Intel:
    """Intel MPI 2019 and newer.

    >>> from leadline.model.placement import Placement
    >>> intel = Installation(name="intel-2021.19", family="intel", version="2021.19",
    ...     prefix="/opt/impi", source="PATH", mpiexec="/opt/impi/bin/mpiexec",
    ...     environment={"I_MPI_ROOT": "/opt/impi"})
    >>> job = Job(program=("./probe",), placement=Placement(1, 2))
    >>> start = LAUNCHER.start(job, intel)
    >>> start.argv  # doctest: +NORMALIZE_WHITESPACE
    ('/opt/impi/bin/mpiexec', '-genv', 'I_MPI_PIN', '1', '-genv', 'I_MPI_PIN_DOMAIN', 'core',
     '-n', '2', './probe')
    >>> start.environment
    {'I_MPI_ROOT': '/opt/impi'}
    """

    name = "intel"
    by_name_only = False

    def serves(self, installation: Installation, job: Job) -> bool:
        """Tell whether this is an Intel MPI with a message-passing program."""
        return (
            installation.family == "intel" and installation.mpiexec is not None and job.api == "mpi"
        )

    def start(self, job: Job, installation: Installation) -> Start:
        """Return what to execute."""
        bound = _PINNED if job.bind else _FREE
        ordered = job.hosts and job.ranks_by_node
        placed = (
            ("-machinefile", f"{job.folder}/{_MACHINE_FILE}")
            if ordered
            else hydra_family.hosts_in_turn(job)
        )
        start = hydra_family.start(
            job,
            installation,
            (*placed, *_bootstrap(job)),
            {**(_YIELD if job.oversubscribe else bound), **(_TCP if job.interface else {})},
        )
        files = {_MACHINE_FILE: FORMAT.text(job.ranks_by_node, job.hosts)} if ordered else {}
        return msgspec.structs.replace(start, files=files)

    def explain(self, output: str) -> str | None:
        """Return one line on a failure that Intel's Hydra reports."""
        return explain_first(hydra_family.FAILURES, output)


def _bootstrap(job: Job) -> tuple[str, ...]:
    """Return how to reach hosts; those that are named it would reach with ssh even in a job."""
    if job.remote_shell:
        return ("-bootstrap", "ssh", "-bootstrap-exec", job.remote_shell)
    return ("-bootstrap", job.bootstrap) if job.bootstrap else ()


LAUNCHER = Intel()
