"""Swap in use and memory left."""

from leadline.model.summary import CheckResult
from leadline.site.doctor.system import System
from leadline.site.hardware.memory import meminfo_bytes

_LEAST_AVAILABLE = 0.05
_NOTICEABLE_SWAP_BYTES = 64 * 2**20


def check(system: System) -> CheckResult:
    """Judge the memory that is available and the swap that is used."""
    sizes = meminfo_bytes(system.files)
    total, available = sizes["MemTotal"], sizes["MemAvailable"]
    swapped = sizes.get("SwapTotal", 0) - sizes.get("SwapFree", 0)
    short = available < _LEAST_AVAILABLE * total
    paged = swapped > _NOTICEABLE_SWAP_BYTES
    return CheckResult(
        name="memory-pressure",
        status="bad" if short else "warn" if paged else "ok",
        observed=f"{available / 2**30:.1f} GiB available of {total / 2**30:.1f} GiB, "
        f"{swapped / 2**20:.0f} MiB in swap",
        meaning=(
            "Memory is nearly full: buffers are reclaimed and moved while they are measured."
            if short
            else "Some memory is on disk; fetching it back takes milliseconds."
            if paged
            else "Buffers stay in memory."
        ),
        advice=(
            "Stop programs that hold memory, or measure smaller messages."
            if short
            else "Bring everything back from the disk."
            if paged
            else None
        ),
        command="sudo swapoff -a && sudo swapon -a" if paged and not short else None,
        numbers={"available_bytes": available, "total_bytes": total, "swapped_bytes": swapped},
    )
