"""OpenSHMEM as Open MPI brings it: `oshrun` is its `mpiexec` by another name."""

import msgspec

from leadline.core.failures import explain_first
from leadline.measure.launch import openmpi
from leadline.measure.launch.launchers import openmpi4, openmpi5
from leadline.model.installation import Installation
from leadline.model.job import Job, Start

# UCX's memory hook outlives its library there, so that every program crashes in shmem_finalize
# (issue 11604 of Open MPI); without the hook UCX only loses its cache of pinned memory.
_HOOK_CRASHES = ("4.1.4", "4.1.5")
_NO_HOOK = {"OMPI_MCA_opal_common_ucx_opal_mem_hooks": "0"}


def variables(installation: Installation) -> dict[str, str]:
    """Return the variables without which programs of this version crash."""
    return _NO_HOOK if installation.version in _HOOK_CRASHES else {}


class Oshrun:
    """SHMEM programs under Open MPI.

    Versions 4.1.4 and 4.1.5 get OMPI_MCA_opal_common_ucx_opal_mem_hooks=0, without which they
    end with a segmentation fault.

    >>> from leadline.model.placement import Placement
    >>> openmpi4 = Installation(name="openmpi-4.1.4", family="openmpi", version="4.1.4",
    ...     prefix="/usr", source="PATH", oshrun="/usr/bin/oshrun")
    >>> job = Job(program=("./probe",), placement=Placement(1, 2), api="shmem")
    >>> start = LAUNCHER.start(job, openmpi4)
    >>> start.argv  # doctest: +NORMALIZE_WHITESPACE
    ('/usr/bin/oshrun', '--mca', 'btl_tcp_if_include', 'lo',
     '--map-by', 'core', '--bind-to', 'core', '-np', '2', './probe')
    >>> start.environment["OMPI_MCA_opal_common_ucx_opal_mem_hooks"]
    '0'
    """

    name = "oshrun"
    by_name_only = False

    def serves(self, installation: Installation, job: Job) -> bool:
        """Tell whether this is an Open MPI with OpenSHMEM, for a SHMEM program."""
        return (
            installation.family == "openmpi"
            and installation.oshrun is not None
            and job.api == "shmem"
        )

    def start(self, job: Job, installation: Installation) -> Start:
        """Return what to execute."""
        version = openmpi4 if openmpi.major(installation) <= 4 else openmpi5
        start: Start = version.start(installation.oshrun, job, installation)
        environment = {**start.environment, **variables(installation)}
        return msgspec.structs.replace(start, environment=environment)

    def explain(self, output: str) -> str | None:
        """Return one line on a failure that Open MPI reports."""
        return explain_first(openmpi.FAILURES, output)


LAUNCHER = Oshrun()
