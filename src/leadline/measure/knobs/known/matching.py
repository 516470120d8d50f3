"""Who finds the receive that a message is for: the network's hardware, or the library."""

from leadline.measure.knobs.environment import adding, networks
from leadline.measure.knobs.knob import Unsupported
from leadline.measure.knobs.values import one_of
from leadline.model.installation import Installation
from leadline.model.job import Job


class Matching:
    """Adapters that match tags spare the processor a search; they hold a few receives only.

    >>> from leadline.model.placement import Placement
    >>> mpich = Installation(name="m", family="mpich", version="5.0", prefix="", source="",
    ...     built={"network": "ofi"})
    >>> job = Job(program=("./probe",), placement=Placement(2, 1))
    >>> KNOB.apply("library", job, mpich).environment
    {'MPIR_CVAR_CH4_OFI_ENABLE_TAGGED': '0'}
    """

    name = "matching"
    summary = "who matches messages with receives: the network or the library"
    values = "network or library"

    def canonical(self, text: str) -> str:
        """Return `network` or `library`."""
        return one_of(text, "network", "library")

    def apply(self, value: str, job: Job, installation: Installation) -> Job:
        """Return the job with the variables of each network library that the MPI may use."""
        network = value == "network"
        variables = {}
        if "ucx" in networks(installation):
            for transport in ("RC", "DC"):
                variables[f"UCX_{transport}_MLX5_TM_ENABLE"] = "y" if network else "n"
        if installation.family in ("mpich", "intel") and "ofi" in networks(installation):
            variables["MPIR_CVAR_CH4_OFI_ENABLE_TAGGED"] = str(int(network))
        if not variables:
            raise Unsupported("it was built with no network library that can be told")
        return adding(job, variables)


KNOB = Matching()
