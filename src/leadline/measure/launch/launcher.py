"""What every launcher is: the interface of the objects in `leadline.measure.launch.launchers`."""

from typing import Protocol

from leadline.model.installation import Installation
from leadline.model.job import Job, Start


class Launcher(Protocol):
    """A program that starts ranks, such as `mpiexec`. One file each, found by its `LAUNCHER`."""

    @property
    def name(self) -> str:
        """The name that a run folder and `explain` know it by."""

    @property
    def by_name_only(self) -> bool:
        """Whether it is taken only where the user names it."""

    def serves(self, installation: Installation, job: Job) -> bool:
        """Tell whether this is the launcher of `installation` for the API of `job`."""

    def start(self, job: Job, installation: Installation) -> Start:
        """Return what to execute. A pure function of its arguments."""

    def explain(self, output: str) -> str | None:
        """Return one line on a failure that this launcher reports in its own words, or None.

        `output` is what launcher and ranks printed, with each run of white space one blank.
        """
