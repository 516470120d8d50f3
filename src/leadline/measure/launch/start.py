"""From a job to what is executed: the launcher is found, or named."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec

from leadline.core.errors import Failure, UserError
from leadline.measure.knobs.knob import major
from leadline.measure.launch import direct, hydra, openmpi, simulated
from leadline.model.installation import Installation
from leadline.model.job import Job, Start
from leadline.site.schedulers.slurm import batch as slurm


class Launcher(NamedTuple):
    """A program that starts ranks, such as `mpiexec`, by the name that runs know it by.

    `serves` tells whether it is the launcher of an installation for the API of a job; one
    `by_name_only` is taken where the user names it. `start` is a pure function. The `failures` are
    those that it reports in its own words.
    """

    name: str
    serves: Callable[[Installation, Job], bool]
    start: Callable[[Job, Installation], Start]
    failures: Iterable[Failure] = ()
    by_name_only: bool = False


def _serves_mpi(*families: str) -> Callable[[Installation, Job], bool]:
    return lambda installation, job: (
        installation.family in families and installation.mpiexec is not None and job.api == "mpi"
    )


def _serves_openmpi(oldest: int, newest: float) -> Callable[[Installation, Job], bool]:
    return lambda installation, job: (
        _serves_mpi("openmpi")(installation, job) and oldest <= major(installation) <= newest
    )


def _serves_oshrun(installation: Installation, job: Job) -> bool:
    there = installation.family == "openmpi" and installation.oshrun is not None
    return there and job.api == "shmem"


def _serves_fake(installation: Installation, job: Job) -> bool:
    return installation.family == "fake" and job.api == "fake"


def _serves_simulator(installation: Installation, job: Job) -> bool:
    return installation.simulates and job.api == "mpi"


LAUNCHERS = (
    Launcher("aprun", direct.serves, direct.aprun, direct.APRUN_FAILURES, by_name_only=True),
    Launcher("fake", _serves_fake, simulated.fake),
    Launcher("flux", direct.serves, direct.flux, direct.FLUX_FAILURES, by_name_only=True),
    Launcher("hydra", _serves_mpi("mpich", "mvapich"), hydra.hydra, hydra.FAILURES),
    Launcher("intel", _serves_mpi("intel"), hydra.intel, hydra.FAILURES),
    Launcher("openmpi4", _serves_openmpi(0, 4), openmpi.openmpi, openmpi.FAILURES),
    Launcher("openmpi5", _serves_openmpi(5, float("inf")), openmpi.openmpi, openmpi.FAILURES),
    Launcher("oshrun", _serves_oshrun, openmpi.oshrun, openmpi.FAILURES),
    Launcher("pals", direct.serves, direct.pals, direct.PALS_FAILURES, by_name_only=True),
    Launcher("smpirun", _serves_simulator, simulated.smpirun, simulated.SMPIRUN_FAILURES),
    Launcher("srun", direct.serves, direct.srun, slurm.FAILURES, by_name_only=True),
)


def launcher_for(job: Job, installation: Installation) -> Launcher:
    """Return the launcher that the job names, or the one of `installation` for its API.

    Raises `UserError` where there is none.
    """
    known = ", ".join(each.name for each in LAUNCHERS)
    if job.launcher and job.launcher not in [launcher.name for launcher in LAUNCHERS]:
        raise UserError(f"no launcher {job.launcher!r}: there is {known}")
    for launcher in LAUNCHERS:
        wanted = launcher.name == job.launcher if job.launcher else not launcher.by_name_only
        if wanted and launcher.serves(installation, job):
            return launcher
    if job.launcher:
        raise UserError(
            f"launcher {job.launcher} does not start {job.api} programs of "
            f"{installation.name}: leave out --launcher for the MPI's own"
        )
    raise UserError(
        f"{installation.name} cannot start {job.api} programs: leadline knows the launchers "
        f"{known}; choose another installation, which `leadline mpi` lists"
    )


def finds_nodes(name: str) -> bool:
    """Tell whether the launcher called `name` is a resource manager's, with nodes of its own."""
    return any(each.by_name_only for each in LAUNCHERS if each.name == name)


def start_for(job: Job, installation: Installation) -> Start:
    """Return the argument list and the variables that start `job` with `installation`.

    A pure function: whether the job fits the machine is for `slots.check_slots` to say.
    Raises `UserError` where the installation has no launcher for the job's API.
    """
    files: dict[str, str] = {}
    if installation.family == "cray-mpich" and job.ranks_by_node:
        job, files = direct.reordered(job)
    launcher = launcher_for(job, installation)
    start = launcher.start(_on_shared_cores(job), installation)
    return msgspec.structs.replace(
        start,
        argv=(*job.hosts.prefix, *start.argv),
        files={**job.files, **start.files, **files},
        launcher=launcher.name,
    )


def _on_shared_cores(job: Job) -> Job:
    """Return the job as a launcher must see it where hosts share cores, which no launcher knows.

    Each rank gets a core of its own from `pin`; where there are too few, ranks are free and yield.
    """
    hosts = job.hosts
    if not hosts.shared_cores:
        return job
    if job.placement.processes > hosts.shared_cores:
        return msgspec.structs.replace(job, oversubscribe=True)
    if not (job.bind and hosts.pin):
        return job
    return msgspec.structs.replace(job, bind=False, program=(*hosts.pin, *job.program))
