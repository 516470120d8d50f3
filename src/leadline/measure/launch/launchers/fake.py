"""The probe that needs no MPI: its ranks are threads, so nothing launches it."""

from leadline.model.installation import Installation
from leadline.model.job import Job, Start


class Fake:
    """The fake probe, told how many ranks and nodes to pretend.

    >>> from leadline.model.placement import Placement
    >>> fake = Installation(name="fake", family="fake", version="1", prefix="", source="leadline")
    >>> job = Job(program=("./probe", "--plan", "p"), placement=Placement(2, 3), api="fake")
    >>> LAUNCHER.start(job, fake).argv
    ('./probe', '--plan', 'p', '--ranks', '6', '--nodes', '2')
    """

    name = "fake"
    by_name_only = False

    def serves(self, installation: Installation, job: Job) -> bool:
        """Tell whether the job is for the fake probe."""
        return installation.family == "fake" and job.api == "fake"

    def start(self, job: Job, installation: Installation) -> Start:
        """Return what to execute."""
        placement = job.placement
        ranks = ("--ranks", str(placement.processes), "--nodes", str(placement.nodes))
        return Start(
            argv=(*job.program, *ranks),
            environment={**installation.environment, **job.environment},
        )

    def explain(self, output: str) -> str | None:
        """Return None: there is no launcher whose words could be explained."""
        return None


LAUNCHER = Fake()
