"""Up to which size a message to another node is sent before its receiver is ready."""

from leadline.core.units import parse_bytes
from leadline.measure.knobs.environment import adding, networks
from leadline.measure.knobs.knob import Unsupported
from leadline.measure.knobs.known.collective_selector import simulating
from leadline.measure.knobs.values import size_text
from leadline.model.installation import Installation
from leadline.model.job import Job

# What Open MPI counts into a message: its own header, of which no version has more.
_OPENMPI_HEADER = 128


class EagerLimit:
    """An eager message costs a copy, one above the limit a round trip first.

    MPICH sends at and above UCX_RNDV_THRESH, and above its limit for libfabric, by rendezvous. Open
    MPI takes its header for part of the message, so the limit is met to within 128 bytes.

    >>> from leadline.model.placement import Placement
    >>> mpich = Installation(name="m", family="mpich", version="5.0", prefix="", source="",
    ...     built={"network": "ucx"})
    >>> KNOB.apply("16K", Job(program=("./probe",), placement=Placement(2, 1)), mpich).environment
    {'UCX_RNDV_THRESH': '16385'}
    """

    name = "eager_limit"
    summary = "the largest message that is sent to another node at once"
    values = "a size, such as 16K"

    def canonical(self, text: str) -> str:
        """Return the size with its suffix."""
        return size_text(text)

    def apply(self, value: str, job: Job, installation: Installation) -> Job:
        """Return the job with the limits of each network library that the MPI may use."""
        limit = parse_bytes(value)
        if installation.simulates:
            # SMPI waits for the receiver of whatever is not smaller than this.
            return simulating(job, installation, f"smpi/send-is-detached-thresh:{limit + 1}")
        variables = {}
        if "ucx" in networks(installation):
            variables["UCX_RNDV_THRESH"] = str(limit + 1)
        if installation.family == "openmpi":
            variables["OMPI_MCA_btl_tcp_eager_limit"] = str(limit + _OPENMPI_HEADER)
        elif installation.family != "mpich":
            raise Unsupported(
                "its network library decides; leadline has found no variable that moves the switch"
            )
        elif "ofi" in networks(installation):
            variables["MPIR_CVAR_CH4_OFI_EAGER_THRESHOLD"] = str(limit)
        if not variables:
            raise Unsupported("it was built with neither UCX nor libfabric")
        return adding(job, variables)


KNOB = EagerLimit()
