"""Open MPI up to 4: `mpiexec` is ORTE's `orterun`."""

import msgspec

from leadline.core.failures import explain_first
from leadline.measure.launch import openmpi
from leadline.model.installation import Installation
from leadline.model.job import Job, Start
from leadline.topology.rank_order.formats.openmpi import FORMAT

_RANK_FILE = "rankfile"


def start(executable: str | None, job: Job, installation: Installation) -> Start:
    """Return the start of `job` by `executable`.

    The mapper `seq` binds nothing here, so that an order of bound ranks takes a rank file, which in
    turn cannot leave ranks free.
    """
    started = openmpi.start(executable, job, installation, _options(job))
    if not _binds_an_order(job):
        return started
    text = FORMAT.text(job.ranks_by_node, job.hosts)
    return msgspec.structs.replace(started, files={_RANK_FILE: text})


def _binds_an_order(job: Job) -> bool:
    return openmpi.is_sequential(job) and job.bind and not job.oversubscribe


def _options(job: Job) -> tuple[str, ...]:
    """Return where ranks go and to which core they are bound, in ORTE's words.

    Ranks fill a host's cores before the next host's. Oversubscribed ranks must give their core
    away while they wait, otherwise each waits out the others' time slices.
    """
    remote = ("--mca", "plm_rsh_agent", job.remote_shell) if job.remote_shell else ()
    mapper = "seq" if openmpi.is_sequential(job) else "slot"
    if job.oversubscribe:
        return (
            *remote,
            *("--oversubscribe", "--map-by", mapper, "--bind-to", "none"),
            *("--mca", "mpi_yield_when_idle", "1"),
        )
    if _binds_an_order(job):
        return (*remote, "--rankfile", f"{job.folder}/{_RANK_FILE}", "--bind-to", "core")
    if job.bind:
        return (*remote, "--map-by", "core", "--bind-to", "core")
    return (*remote, "--map-by", mapper, "--bind-to", "none")


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
            and job.api == "mpi"
            and openmpi.major(installation) <= 4
        )

    def start(self, job: Job, installation: Installation) -> Start:
        """Return what to execute."""
        return start(installation.mpiexec, job, installation)

    def explain(self, output: str) -> str | None:
        """Return one line on a failure that Open MPI reports."""
        return explain_first(openmpi.FAILURES, output)


LAUNCHER = OpenMpi4()
