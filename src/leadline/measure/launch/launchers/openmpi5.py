"""Open MPI from 5 on: `mpiexec` is PRRTE's `prterun`."""

from leadline.core.failures import explain_first
from leadline.measure.launch import openmpi
from leadline.model.installation import Installation
from leadline.model.job import Job, Start


def start(executable: str | None, job: Job, installation: Installation) -> Start:
    """Return the start of `job` by `executable`."""
    return openmpi.start(executable, job, installation, _options(job))


def _options(job: Job) -> tuple[str, ...]:
    """Return where ranks go and to which core they are bound, in PRRTE's words.

    Ranks fill a host's cores before the next host's. Oversubscribed ranks must give their core
    away while they wait, otherwise each waits out the others' time slices.
    """
    remote = ("--prtemca", "plm_ssh_agent", job.remote_shell) if job.remote_shell else ()
    slot, core = ("seq", "seq") if openmpi.is_sequential(job) else ("slot", "core")
    if job.oversubscribe:
        return (
            *remote,
            *("--map-by", f"{slot}:oversubscribe", "--bind-to", "none"),
            *("--mca", "mpi_yield_when_idle", "1"),
        )
    if job.bind:
        return (*remote, "--map-by", core, "--bind-to", "core")
    return (*remote, "--map-by", slot, "--bind-to", "none")


class OpenMpi5:
    """Open MPI 5 and newer.

    >>> from leadline.model.placement import Placement
    >>> openmpi5 = Installation(name="openmpi-5.0.11", family="openmpi", version="5.0.11",
    ...     prefix="/opt/ompi", source="PATH", mpiexec="/opt/ompi/bin/mpiexec")
    >>> job = Job(program=("./probe",), placement=Placement(1, 8), oversubscribe=True)
    >>> LAUNCHER.start(job, openmpi5).argv  # doctest: +NORMALIZE_WHITESPACE
    ('/opt/ompi/bin/mpiexec', '--mca', 'btl_tcp_if_include', 'lo',
     '--map-by', 'slot:oversubscribe', '--bind-to', 'none', '--mca', 'mpi_yield_when_idle', '1',
     '-np', '8', './probe')
    """

    name = "openmpi5"
    by_name_only = False

    def serves(self, installation: Installation, job: Job) -> bool:
        """Tell whether this is an Open MPI of PRRTE's days with a message-passing program."""
        return (
            installation.family == "openmpi"
            and installation.mpiexec is not None
            and job.api == "mpi"
            and openmpi.major(installation) >= 5
        )

    def start(self, job: Job, installation: Installation) -> Start:
        """Return what to execute."""
        return start(installation.mpiexec, job, installation)

    def explain(self, output: str) -> str | None:
        """Return one line on a failure that Open MPI reports."""
        return explain_first(openmpi.FAILURES, output)


LAUNCHER = OpenMpi5()
