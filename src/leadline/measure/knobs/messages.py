"""Knobs of how messages travel, and of what a rank does while it waits for one."""

from leadline.core.units import parse_bytes
from leadline.measure.knobs.knob import (
    Knob,
    Unsupported,
    adding,
    by_variables,
    carried_by_ucx,
    major,
    networks,
    simulating,
)
from leadline.measure.knobs.values import one_of, size_text
from leadline.model.installation import Installation
from leadline.model.job import Job

# What the libraries count into a message: their own headers, of which none has more.
_MPICH_HEADER, _OPENMPI_HEADER, _INTEL_HEADER = 128, 128, 64
# MPICH refuses to start with a smaller buffer than this, or than a cell.
_MPICH_BUFFER = 16384
_MECHANISMS = "cma,xpmem,knem"
# The variable that says what a waiting rank does, and its values for `busy` and `yield`.
_WAITING = {
    "mpich": ("MPIR_CVAR_POLLS_BEFORE_YIELD", "0", "1"),
    "mvapich": ("MPIR_CVAR_POLLS_BEFORE_YIELD", "0", "1"),
    "intel": ("I_MPI_THREAD_YIELD", "0", "2"),
    "openmpi": ("OMPI_MCA_mpi_yield_when_idle", "0", "1"),
}
# Between two looks at shared memory MPICH 5 would poll on.
_MPICH5_YIELD = {"MPIR_CVAR_POSIX_POLL_FREQUENCY": "1"}


def _eager_limit(value: str, job: Job, installation: Installation) -> Job:
    """Return the job with the limits of each network library that the MPI may use.

    An eager message costs a copy, one above the limit a round trip first. MPICH sends at and above
    UCX_RNDV_THRESH, and above its limit for libfabric, by rendezvous. Open MPI takes its header for
    part of the message, so the limit is met to within 128 bytes.
    """
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


def _shm_eager_limit(value: str, installation: Installation) -> dict[str, str]:
    """Return the limits of the family's shared memory, through which eager messages are copied.

    MPICH sends what fits into a cell of its queue; from the other threshold on it copies from
    process to process. Intel MPI and Open MPI take their header for part of the message.
    """
    limit = parse_bytes(value)
    if installation.family == "openmpi":
        component = "sm" if major(installation) >= 5 else "vader"
        return {f"OMPI_MCA_btl_{component}_eager_limit": str(limit + _OPENMPI_HEADER)}
    if installation.family == "intel":
        return {"I_MPI_SHM_CELL_FWD_SIZE": str(limit + _INTEL_HEADER)}
    if installation.family != "mpich" or major(installation) < 4:
        raise Unsupported("leadline has found no variable that moves the switch")
    if carried_by_ucx(installation):
        return {"UCX_RNDV_THRESH": str(limit + 1)}
    cell = -(-(limit + _MPICH_HEADER) // 64) * 64
    variables = {"MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE": str(cell)}
    if major(installation) >= 5:
        variables["MPIR_CVAR_CH4_PACK_BUFFER_SIZE"] = str(max(cell, _MPICH_BUFFER))
        variables["MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD"] = str(limit + 1)
    return variables


def _single_copy(value: str, installation: Installation) -> dict[str, str]:
    """Return what allows or forbids CMA, XPMEM and KNEM; containers often forbid them."""
    on = value == "on"
    if installation.family == "openmpi" and major(installation) >= 5:
        # Open MPI 5 does not start where one that is named is not there.
        return {"OMPI_MCA_smsc": "cma" if on else f"^{_MECHANISMS}"}
    if installation.family == "openmpi":
        return {"OMPI_MCA_btl_vader_single_copy_mechanism": "cma" if on else "none"}
    if carried_by_ucx(installation):
        return {"UCX_TLS": "all" if on else f"^{_MECHANISMS}"}
    if installation.family == "mpich" and major(installation) >= 5:
        return {f"MPIR_CVAR_CH4_{each}_ENABLE": str(int(on)) for each in ("CMA", "XPMEM")}
    raise Unsupported("leadline has found no variable that changes it")


def _matching(value: str, installation: Installation) -> dict[str, str]:
    """Return the variables of each network library that the MPI may use.

    Adapters that match tags spare the processor a search; they hold a few receives only.
    """
    network = value == "network"
    variables = {}
    if "ucx" in networks(installation):
        for transport in ("RC", "DC"):
            variables[f"UCX_{transport}_MLX5_TM_ENABLE"] = "y" if network else "n"
    if installation.family in ("mpich", "intel") and "ofi" in networks(installation):
        variables["MPIR_CVAR_CH4_OFI_ENABLE_TAGGED"] = str(int(network))
    if not variables:
        raise Unsupported("it was built with no network library that can be told")
    return variables


def _wait_mode(value: str, installation: Installation) -> dict[str, str]:
    """Polling is faster where each rank has a core of its own, yielding where ranks share one."""
    if installation.family not in _WAITING:
        raise Unsupported(
            f"leadline knows no variable for it in {installation.family}; it does in "
            f"{', '.join(sorted(_WAITING))}"
        )
    variable, busy, yielding = _WAITING[installation.family]
    variables = {variable: yielding if value == "yield" else busy}
    if value == "yield" and installation.family == "mpich" and major(installation) >= 5:
        variables |= _MPICH5_YIELD
    return variables


WAIT_MODE = Knob(
    "wait_mode",
    "what a waiting rank does: poll, or give its core away",
    "busy or yield",
    one_of("busy", "yield"),
    by_variables(_wait_mode),
)
KNOBS = (
    Knob(
        "eager_limit",
        "the largest message that is sent to another node at once",
        "a size, such as 16K",
        size_text,
        _eager_limit,
    ),
    Knob(
        "shm_eager_limit",
        "the largest message that is sent at once inside a node",
        "a size, such as 16K",
        size_text,
        by_variables(_shm_eager_limit),
    ),
    Knob(
        "single_copy",
        "copy large messages inside a node once (CMA, XPMEM, KNEM), or through shared memory",
        "on or off",
        one_of("on", "off"),
        by_variables(_single_copy),
    ),
    Knob(
        "matching",
        "who matches messages with receives: the network or the library",
        "network or library",
        one_of("network", "library"),
        by_variables(_matching),
    ),
    WAIT_MODE,
)
