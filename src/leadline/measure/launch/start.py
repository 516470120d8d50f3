"""From a job to what is executed: the launcher is found, not named."""

import msgspec

from leadline.core.errors import UserError
from leadline.core.plugins import plugins
from leadline.measure.launch import cray
from leadline.measure.launch.launcher import Launcher
from leadline.model.installation import Installation
from leadline.model.job import Job, Start


def launchers() -> list[Launcher]:
    """Return every launcher, in the order of their files' names."""
    return plugins("leadline.measure.launch.launchers", "LAUNCHER")


def launcher_for(job: Job, installation: Installation) -> Launcher:
    """Return the launcher that the job names, or the one of `installation` for its API.

    Raises `UserError` where there is none.
    """
    known = launchers()
    if job.launcher and job.launcher not in [launcher.name for launcher in known]:
        raise UserError(
            f"no launcher {job.launcher!r}: there is {', '.join(each.name for each in known)}"
        )
    for launcher in known:
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
        f"{', '.join(launcher.name for launcher in known)}; choose another installation, which "
        "`leadline mpi` lists"
    )


def finds_nodes(name: str) -> bool:
    """Tell whether the launcher called `name` is a resource manager's, with nodes of its own."""
    return any(each.by_name_only for each in launchers() if each.name == name)


def start_for(job: Job, installation: Installation) -> Start:
    """Return the argument list and the variables that start `job` with `installation`.

    A pure function: whether the job fits the machine is for `slots.check_slots` to say.
    Raises `UserError` where the installation has no launcher for the job's API.
    """
    files: dict[str, str] = {}
    if installation.family == "cray-mpich" and job.ranks_by_node:
        job, files = cray.reordered(job)
    launcher = launcher_for(job, installation)
    start = launcher.start(_on_shared_cores(job), installation)
    return msgspec.structs.replace(
        start,
        argv=(*job.prefix, *start.argv),
        files={**job.files, **start.files, **files},
        launcher=launcher.name,
    )


def _on_shared_cores(job: Job) -> Job:
    """Return the job as a launcher must see it where hosts share cores, which no launcher knows.

    Each rank gets a core of its own from `pin`; where there are too few, ranks are free and yield.
    """
    if not job.shared_cores:
        return job
    if job.placement.processes > job.shared_cores:
        return msgspec.structs.replace(job, oversubscribe=True)
    if not (job.bind and job.pin):
        return job
    return msgspec.structs.replace(job, bind=False, program=(*job.pin, *job.program))
