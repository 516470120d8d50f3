"""What a rank does while it waits: poll without pause, or give its core away."""

from leadline.measure.knobs.environment import adding, chosen, major
from leadline.measure.knobs.values import one_of
from leadline.model.installation import Installation
from leadline.model.job import Job

_MPICH = {
    "busy": {"MPIR_CVAR_POLLS_BEFORE_YIELD": "0"},
    "yield": {"MPIR_CVAR_POLLS_BEFORE_YIELD": "1"},
}
# Between two looks at shared memory it would poll on.
_MPICH5_YIELD = {"MPIR_CVAR_POSIX_POLL_FREQUENCY": "1"}
_VARIABLES = {
    "mpich": _MPICH,
    "mvapich": _MPICH,
    "intel": {"busy": {"I_MPI_THREAD_YIELD": "0"}, "yield": {"I_MPI_THREAD_YIELD": "2"}},
    "openmpi": {
        "busy": {"OMPI_MCA_mpi_yield_when_idle": "0"},
        "yield": {"OMPI_MCA_mpi_yield_when_idle": "1"},
    },
}


class WaitMode:
    """Polling is faster where each rank has a core of its own, yielding where ranks share one.

    >>> from leadline.model.placement import Placement
    >>> intel = Installation(name="i", family="intel", version="1", prefix="", source="")
    >>> KNOB.apply("yield", Job(program=("./probe",), placement=Placement(1, 2)), intel).environment
    {'I_MPI_THREAD_YIELD': '2'}
    """

    name = "wait_mode"
    summary = "what a waiting rank does: poll, or give its core away"
    values = "busy or yield"

    def canonical(self, text: str) -> str:
        """Return `busy` or `yield`."""
        return one_of(text, "busy", "yield")

    def apply(self, value: str, job: Job, installation: Installation) -> Job:
        """Return the job with the family's variables."""
        by_family = {family: modes[value] for family, modes in _VARIABLES.items()}
        variables = chosen(by_family, installation)
        if value == "yield" and installation.family == "mpich" and major(installation) >= 5:
            variables |= _MPICH5_YIELD
        intel = variables.get("I_MPI_THREAD_YIELD")
        return adding(job, variables, {"MPIR_CVAR_IMPI_THREAD_YIELD": intel} if intel else {})


KNOB = WaitMode()
