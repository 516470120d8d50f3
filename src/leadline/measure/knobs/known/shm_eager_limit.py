"""Up to which size a message inside a node is sent before its receiver is ready."""

from leadline.core.units import parse_bytes
from leadline.measure.knobs.environment import adding, carried_by_ucx, major
from leadline.measure.knobs.knob import Unsupported
from leadline.measure.knobs.values import size_text
from leadline.model.installation import Installation
from leadline.model.job import Job

# What the libraries count into a message: their own headers, of which none has more.
_MPICH_HEADER, _OPENMPI_HEADER, _INTEL_HEADER = 128, 128, 64
# MPICH refuses to start with a smaller buffer than this, or than a cell.
_MPICH_BUFFER = 16384


class SharedMemoryEagerLimit:
    """An eager message inside a node is copied through shared memory, twice.

    MPICH sends what fits into a cell of its queue; from the other threshold on it copies from
    process to process. Intel MPI and Open MPI take their header for part of the message.

    >>> from leadline.model.placement import Placement
    >>> ompi = Installation(name="o", family="openmpi", version="5.0", prefix="", source="")
    >>> KNOB.apply("16K", Job(program=("./probe",), placement=Placement(1, 2)), ompi).environment
    {'OMPI_MCA_btl_sm_eager_limit': '16512'}
    """

    name = "shm_eager_limit"
    summary = "the largest message that is sent at once inside a node"
    values = "a size, such as 16K"

    def canonical(self, text: str) -> str:
        """Return the size with its suffix."""
        return size_text(text)

    def apply(self, value: str, job: Job, installation: Installation) -> Job:
        """Return the job with the limits of the family's shared memory."""
        limit = parse_bytes(value)
        if installation.family == "openmpi":
            component = "sm" if major(installation) >= 5 else "vader"
            return adding(
                job, {f"OMPI_MCA_btl_{component}_eager_limit": str(limit + _OPENMPI_HEADER)}
            )
        if installation.family == "intel":
            cell = str(limit + _INTEL_HEADER)
            controls = {"MPIR_CVAR_INTEL_SHM_CELL_FWD_SIZE": cell}
            return adding(job, {"I_MPI_SHM_CELL_FWD_SIZE": cell}, controls)
        if installation.family != "mpich" or major(installation) < 4:
            raise Unsupported("leadline has found no variable that moves the switch")
        if carried_by_ucx(installation):
            return adding(job, {"UCX_RNDV_THRESH": str(limit + 1)})
        return adding(job, _mpich_variables(limit, installation))


def _mpich_variables(limit: int, installation: Installation) -> dict[str, str]:
    cell = -(-(limit + _MPICH_HEADER) // 64) * 64
    variables = {"MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE": str(cell)}
    if major(installation) >= 5:
        variables["MPIR_CVAR_CH4_PACK_BUFFER_SIZE"] = str(max(cell, _MPICH_BUFFER))
        variables["MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD"] = str(limit + 1)
    return variables


KNOB = SharedMemoryEagerLimit()
