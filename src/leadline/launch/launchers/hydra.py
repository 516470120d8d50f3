"""MPICH and its relatives: `mpiexec` is Hydra."""

from leadline.launch import hydra_family
from leadline.launch.words import explain_first
from leadline.model.installation import Installation
from leadline.model.job import Job, Start

# MPICH polls through whole time slices of ranks that share its core; with these it gives the
# core away after every empty poll, and sleeps a little after many.
_YIELD = {
    "MPIR_CVAR_POLLS_BEFORE_YIELD": "1",
    "MPIR_CVAR_POSIX_POLL_FREQUENCY": "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "64",
}


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
            and job.transport == "mpi"
        )

    def start(self, job: Job, installation: Installation) -> Start:
        """Return what to execute."""
        remote = ("-launcher", "ssh", "-launcher-exec", job.remote_shell)
        bind = "core" if job.bind and not job.oversubscribe else "none"
        return hydra_family.start(
            job,
            installation,
            (*(remote if job.remote_shell else ()), "-bind-to", bind),
            _YIELD if job.oversubscribe else {},
        )

    def explain(self, output: str) -> str | None:
        """Return one line on a failure that Hydra reports."""
        return explain_first(hydra_family.FAILURES, output)


LAUNCHER = Hydra()
