"""Open MPI up to 4: `mpiexec` is ORTE's `orterun`."""

from leadline.launch import openmpi
from leadline.launch.words import explain_first
from leadline.model.installation import Installation
from leadline.model.job import Job, Start


def options(job: Job) -> tuple[str, ...]:
    """Return where ranks go and to which core they are bound, in ORTE's words.

    Ranks fill a host's cores before the next host's. Oversubscribed ranks must give their core
    away while they wait, otherwise each waits out the others' time slices.
    """
    remote = ("--mca", "plm_rsh_agent", job.remote_shell) if job.remote_shell else ()
    if job.oversubscribe:
        return (
            *remote,
            *("--oversubscribe", "--map-by", "slot", "--bind-to", "none"),
            *("--mca", "mpi_yield_when_idle", "1"),
        )
    if job.bind:
        return (*remote, "--map-by", "core", "--bind-to", "core")
    return (*remote, "--map-by", "slot", "--bind-to", "none")


class OpenMpi4:
    """Open MPI 4 and older.

    >>> from leadline.model.placement import Placement
    >>> openmpi4 = Installation(name="openmpi-4.1.4", family="openmpi", version="4.1.4",
    ...     prefix="/usr", source="PATH", mpiexec="/usr/bin/mpiexec.openmpi")
    >>> job = Job(program=("./probe",), placement=Placement(1, 2), environment={"A": "b c"})
    >>> LAUNCHER.start(job, openmpi4).argv  # doctest: +NORMALIZE_WHITESPACE
    ('/usr/bin/mpiexec.openmpi', '--mca', 'btl_tcp_if_include', 'lo',
     '--map-by', 'core', '--bind-to', 'core', '-x', 'A=b c', '-np', '2', './probe')
    """

    name = "openmpi4"
    by_name_only = False

    def serves(self, installation: Installation, job: Job) -> bool:
        """Tell whether this is an Open MPI of ORTE's days with a message-passing program."""
        return (
            installation.family == "openmpi"
            and installation.mpiexec is not None
            and job.transport == "mpi"
            and openmpi.major(installation) <= 4
        )

    def start(self, job: Job, installation: Installation) -> Start:
        """Return what to execute."""
        return openmpi.start(installation.mpiexec, job, installation, options(job))

    def explain(self, output: str) -> str | None:
        """Return one line on a failure that Open MPI reports."""
        return explain_first(openmpi.FAILURES, output)


LAUNCHER = OpenMpi4()
