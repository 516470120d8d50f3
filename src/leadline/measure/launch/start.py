"""From a job to what is executed: the launcher is found, or named."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import msgspec

from leadline.core.errors import UserError
from leadline.measure.knobs.knob import major
from leadline.measure.launch import direct, hydra, openmpi, simulated
from leadline.model.installation import Installation
from leadline.model.job import Job, Start
from leadline.site.schedulers.slurm import batch as slurm


class Launcher(NamedTuple):
    """A program that starts ranks, such as `mpiexec`, by the name that runs know it by.

    It starts programs of an `api` with MPIs of these `families`, those of Open MPI in some
    `versions`. One without families is a resource manager's: it is taken where the user names it.
    `start` is a pure function. The `failures` are patterns of its words, each with what to try.
    """

    name: str
    start: Callable[[Job, Installation], Start]
    failures: Mapping[str, str] = {}
    families: tuple[str, ...] = ()
    api: str = "mpi"
    versions: range = range(10_000)

    def serves(self, installation: Installation, job: Job) -> bool:
        """Tell whether it starts programs of an installation for the API of a job."""
        if not self.families:
            real = installation.family not in ("fake", "simgrid")
            shmem = job.api == "shmem" and installation.oshcc is not None
            return real and (job.api == "mpi" or shmem)
        programs = {"mpi": installation.mpiexec, "shmem": installation.oshrun}
        return (
            installation.family in self.families
            and job.api == self.api
            and major(installation) in self.versions
            and (installation.simulates or programs.get(job.api, "") is not None)
        )


def _inheriting(argv: Callable[[Job, Installation], tuple[str, ...]]) -> Callable[..., Start]:
    """Return the start by a resource manager's command, whose ranks inherit the environment."""
    return lambda job, installation: Start(
        argv=argv(job, installation), environment=direct.environment(job, installation)
    )


LAUNCHERS = (
    Launcher("aprun", _inheriting(direct.aprun), direct.APRUN_FAILURES),
    Launcher("fake", simulated.fake, families=("fake",), api="fake"),
    Launcher("flux", _inheriting(direct.flux), direct.FLUX_FAILURES),
    Launcher("hydra", hydra.hydra, hydra.FAILURES, ("mpich", "mvapich")),
    Launcher("intel", hydra.intel, hydra.FAILURES, ("intel",)),
    Launcher("openmpi4", openmpi.openmpi, openmpi.FAILURES, ("openmpi",), versions=range(5)),
    Launcher("openmpi5", openmpi.openmpi, openmpi.FAILURES, ("openmpi",), versions=range(5, 100)),
    Launcher("oshrun", openmpi.oshrun, openmpi.FAILURES, ("openmpi",), "shmem"),
    Launcher("pals", _inheriting(direct.pals), direct.PALS_FAILURES),
    Launcher("smpirun", simulated.smpirun, simulated.SMPIRUN_FAILURES, ("simgrid",)),
    Launcher("srun", _inheriting(direct.srun), dict(slurm.FAILURES)),
)


def launcher_for(job: Job, installation: Installation) -> Launcher:
    """Return the launcher that the job names, or the one of `installation` for its API.

    Raises `UserError` where there is none.
    """
    known = ", ".join(each.name for each in LAUNCHERS)
    if job.launcher and job.launcher not in [launcher.name for launcher in LAUNCHERS]:
        raise UserError(f"no launcher {job.launcher!r}: there is {known}")
    for launcher in LAUNCHERS:
        wanted = launcher.name == job.launcher if job.launcher else launcher.families
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
    return any(not each.families for each in LAUNCHERS if each.name == name)


def start_for(job: Job, installation: Installation) -> Start:
    """Return the argument list and the variables that start `job` with `installation`.

    A pure function. Raises `UserError` where the installation has no launcher for the job's API.
    """
    if installation.family == "cray-mpich" and job.ranks_by_node:
        job = direct.reordered(job)
    launcher = launcher_for(job, installation)
    hosts = job.hosts
    # Hosts that share cores, which no launcher knows: each rank gets one of its own from `pin`;
    # where there are too few, ranks are free and yield.
    if 0 < hosts.shared_cores < job.placement.processes:
        job = msgspec.structs.replace(job, oversubscribe=True)
    elif hosts.shared_cores and job.bind and hosts.pin:
        job = msgspec.structs.replace(job, bind=False, program=(*hosts.pin, *job.program))
    start = launcher.start(job, installation)
    return msgspec.structs.replace(
        start,
        argv=(*hosts.prefix, *start.argv),
        files={**job.files, **start.files},
        launcher=launcher.name,
    )
