"""Whose choice of collective algorithms a simulated library makes."""

from collections.abc import Mapping

import msgspec

from leadline.core.errors import UserError
from leadline.measure.knobs.knob import Unsupported
from leadline.model.installation import Installation
from leadline.model.job import Job
from leadline.model.plan import Value

_LIBRARY = "library"
_SELECTORS = ("ompi", "mpich", "mvapich2", "impi")


class CollectiveSelector:
    """The decisions of a real library by size and number of ranks, as SMPI has copied them.

    Its own `default` is no library's: a linear barrier, a reduction followed by a broadcast.

    >>> from leadline.model.job import Simulation
    >>> from leadline.model.placement import Placement
    >>> simgrid = Installation(name="s", family="simgrid", version="3.32", prefix="", source="")
    >>> job = Job(program=("./probe",), placement=Placement(2, 1),
    ...     simulation=Simulation(platform="p", text="", hosts=("a", "b")))
    >>> KNOB.apply("mpich", job, simgrid).simulation.options
    ('smpi/coll-selector:mpich',)
    """

    name = "collective_selector"
    summary = "the library whose choice of collective algorithms is simulated"
    values = f"{', '.join(_SELECTORS)}; ompi by default"

    def canonical(self, text: str) -> str:
        """Return the selector's name."""
        name = text.strip().lower()
        if name not in _SELECTORS:
            raise UserError(f"choose one of {', '.join(_SELECTORS)}")
        return name

    def changes(self, axes: Mapping[str, Value]) -> bool:
        """Tell whether the library's own collectives are used."""
        return axes.get("algorithm", _LIBRARY) == _LIBRARY

    def apply(self, value: str, job: Job, installation: Installation) -> Job:
        """Return the job with that selection."""
        return simulating(job, installation, f"smpi/coll-selector:{value}")


def simulating(job: Job, installation: Installation, *options: str) -> Job:
    """Return the job with these options of the simulator.

    Raises `Unsupported` where the installation simulates nothing.
    """
    if not installation.simulates:
        raise Unsupported("it is for simulated machines, and this MPI runs on real ones")
    if job.simulation is None:
        return job
    machine = msgspec.structs.replace(job.simulation, options=(*job.simulation.options, *options))
    return msgspec.structs.replace(job, simulation=machine)


KNOB = CollectiveSelector()
