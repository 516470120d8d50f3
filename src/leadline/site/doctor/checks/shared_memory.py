"""/dev/shm, through which ranks of one node exchange messages."""

from leadline.model.summary import CheckResult
from leadline.site.doctor.system import System
from leadline.site.hardware.processors import read_allowed

# A library's queues and staging buffers: a few MiB a rank at least, tens for comfort.
_LEAST_BYTES_PER_RANK, _COMFORT_BYTES_PER_RANK = 16 * 2**20, 64 * 2**20
_MEANING = (
    "Ranks of one node exchange messages through it. Jobs end with a bus error if it is full."
)


def check(system: System) -> CheckResult:
    """Judge the free space against one rank on each allowed processor."""
    sizes = system.shared_memory()
    ranks = max(len(read_allowed(system.files)), 1)
    if sizes is None:
        return CheckResult(
            name="shared-memory",
            status="bad",
            observed="no /dev/shm",
            meaning=_MEANING,
            advice="Mount /dev/shm.",
            command="sudo mount -t tmpfs -o mode=1777 tmpfs /dev/shm",
        )
    share = sizes.free_bytes // ranks
    status = (
        "bad"
        if share < _LEAST_BYTES_PER_RANK
        else "warn"
        if share < _COMFORT_BYTES_PER_RANK
        else "ok"
    )
    return CheckResult(
        name="shared-memory",
        status=status,
        observed=f"/dev/shm has {_mebibytes(sizes.free_bytes)} free of "
        f"{_mebibytes(sizes.size_bytes)}, {_mebibytes(share)} for each of {ranks} ranks",
        meaning=_MEANING,
        advice=(
            None
            if status == "ok"
            else "Remove left-over files in /dev/shm; give a container "
            f"{_mebibytes(ranks * _COMFORT_BYTES_PER_RANK)} of it (option shm-size)."
        ),
        numbers={"size_bytes": sizes.size_bytes, "free_bytes": sizes.free_bytes},
    )


def _mebibytes(size_bytes: int) -> str:
    return f"{size_bytes / 2**20:.0f} MiB"
