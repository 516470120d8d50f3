"""From a job to what is executed: the launcher is found, not named."""

from leadline.errors import UserError
from leadline.launch.launcher import Launcher
from leadline.model.installation import Installation
from leadline.model.job import Job, Start
from leadline.plugins import plugins


def launchers() -> list[Launcher]:
    """Return every launcher, in the order of their files' names."""
    return plugins("leadline.launch.launchers", "LAUNCHER")


def launcher_for(job: Job, installation: Installation) -> Launcher:
    """Return the launcher of `installation` that starts programs of the job's transport.

    Raises `UserError` where the installation has none.
    """
    known = launchers()
    for launcher in known:
        if launcher.serves(installation, job):
            return launcher
    raise UserError(
        f"{installation.name} cannot start {job.transport} programs: leadline knows the launchers "
        f"{', '.join(launcher.name for launcher in known)}; choose another installation, which "
        "`leadline mpi` lists"
    )


def start_for(job: Job, installation: Installation) -> Start:
    """Return the argument list and the variables that start `job` with `installation`.

    A pure function: whether the job fits the machine is for `slots.check_slots` to say.
    Raises `UserError` where the installation has no launcher for the job's transport.
    """
    return launcher_for(job, installation).start(job, installation)
