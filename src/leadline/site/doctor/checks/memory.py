"""Memory, shared and locked, and the kernel's work on it: checks."""

import errno
import os
import re

from leadline.core.units import format_bytes
from leadline.model.summary import CheckResult
from leadline.site.doctor.system import System
from leadline.site.hardware.files import Files, parse_cpus
from leadline.site.hardware.inventory import infiniband, meminfo_bytes
from leadline.site.hardware.processors import read_allowed

MEMORY_LOCK_FILES = ("/proc/self/limits", "/sys/class/infiniband/*/ports/1/state")


def memory_lock(system: System) -> CheckResult:
    """How much memory a network card may be given to write to."""
    limits = system.files.text("/proc/self/limits") or ""
    match = re.search(r"^Max locked memory\s+(\w+)", limits, re.MULTILINE)
    if not match:
        return CheckResult(
            name="memory-lock",
            status="unknown",
            observed="/proc/self/limits does not tell",
            meaning="RDMA needs locked memory; with a small limit libraries fall back to TCP.",
        )
    devices = {port["device"] for port in infiniband(system.files)}
    limited = match[1] != "unlimited"
    return CheckResult(
        name="memory-lock",
        status="bad" if limited and devices else "ok",
        observed=f"limit {format_bytes(int(match[1])) if limited else 'none'}, "
        + (f"RDMA devices {', '.join(sorted(devices))}" if devices else "no RDMA device"),
        meaning=(
            "RDMA needs locked memory; with this limit libraries fail or fall back to TCP."
            if limited and devices
            else "The limit does not matter without an RDMA device."
            if not devices
            else "RDMA may lock all the memory that it needs."
        ),
        advice=(
            "Set memlock to unlimited in /etc/security/limits.conf (and LimitMEMLOCK of the "
            "batch system's daemon), then log in again."
            if limited and devices
            else None
        ),
        numbers={"limit_bytes": float(match[1])} if limited else {},
    )


_LEAST_AVAILABLE = 0.05
_NOTICEABLE_SWAP_BYTES = 64 * 2**20


def memory_pressure(system: System) -> CheckResult:
    """Swap in use and memory left."""
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


NUMA_BALANCING_FILES = ("/sys/devices/system/node/online", "/proc/sys/kernel/numa_balancing")


def numa_balancing(system: System) -> CheckResult:
    """Pages that the kernel moves to the node where they are used."""
    nodes = len(parse_cpus(system.files.text("/sys/devices/system/node/online") or "0"))
    setting = system.files.number("/proc/sys/kernel/numa_balancing") or 0
    moving = bool(setting) and nodes > 1
    return CheckResult(
        name="numa-balancing",
        status="warn" if moving else "ok",
        observed=f"{'on' if setting else 'off'}, {nodes} memory "
        + ("node" if nodes == 1 else "nodes"),
        meaning=(
            "The kernel unmaps and moves pages: page faults in the middle of a measurement."
            if moving
            else "Pages stay where they were first touched."
        ),
        advice="Switch balancing off: ranks are pinned anyway." if moving else None,
        command="sudo sysctl kernel.numa_balancing=0" if moving else None,
        numbers={"setting": setting, "memory_nodes": nodes},
    )


# A library's queues and staging buffers: a few MiB a rank at least, tens for comfort.
_LEAST_BYTES_PER_RANK, _COMFORT_BYTES_PER_RANK = 16 * 2**20, 64 * 2**20
_MEANING = (
    "Ranks of one node exchange messages through it. Jobs end with a bus error if it is full."
)


def shared_memory(system: System) -> CheckResult:
    """/dev/shm, through which ranks of one node exchange messages."""
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


_SCOPE = "/proc/sys/kernel/yama/ptrace_scope"


def single_copy(system: System) -> CheckResult:
    """Whether a rank may copy straight from another rank's memory."""
    error = system.read_neighbour()
    scope = system.files.number(_SCOPE)
    numbers = {"error": float(error)} | ({} if scope is None else {"ptrace_scope": float(scope)})
    if error == 0:
        return CheckResult(
            name="single-copy",
            status="ok",
            observed="process_vm_readv works between two processes",
            meaning="Libraries can copy a large message once inside a node.",
            numbers=numbers,
        )
    reason, advice = _refusal(system.files, error, scope)
    return CheckResult(
        name="single-copy",
        status="warn",
        observed=f"process_vm_readv is refused ({os.strerror(error)}): {reason}",
        meaning="Messages inside a node are copied twice: large ones reach about half the "
        "bandwidth of the memory.",
        advice=advice,
        command="sudo sysctl kernel.yama.ptrace_scope=0"
        if scope and error != errno.ENOSYS
        else None,
        numbers=numbers,
    )


def _refusal(files: Files, error: int, scope: int | None) -> tuple[str, str | None]:
    if error == errno.ENOSYS:
        return "unknown to this kernel or sandbox", None
    if scope:
        return (
            f"yama's ptrace_scope is {scope}; at 1 libraries can ask for permission (prctl)",
            "Allow it for all processes of a user.",
        )
    if files.table("/proc/self/status").get("Seccomp") == "2":
        return (
            "a seccomp filter is on, as in containers",
            "Start the container with the capability SYS_PTRACE, or with another seccomp profile.",
        )
    return "a security module or missing capability", "Start with the capability SYS_PTRACE."


_NAME = "transparent-huge-pages"
_FOLDER = "/sys/kernel/mm/transparent_hugepage"
HUGE_PAGES_FILES = (f"{_FOLDER}/enabled", f"{_FOLDER}/defrag")
_MEANINGS = {
    "always": "Large buffers get huge pages where memory allows it: figures from about 2 MiB on "
    "depend on fragmentation.",
    "madvise": "Only buffers that ask for huge pages get them: figures do not depend on "
    "fragmentation.",
    "never": "All buffers are in small pages: large messages pay more for address translation.",
}


def transparent_huge_pages(system: System) -> CheckResult:
    """Pages of 2 MiB that come and go behind a program's back."""
    enabled = system.files.choice(f"{_FOLDER}/enabled")
    defrag = system.files.choice(f"{_FOLDER}/defrag")
    if enabled is None:
        return CheckResult(
            name=_NAME,
            status="ok",
            observed="not in this kernel",
            meaning=_MEANINGS["never"],
        )
    stalls = enabled == "always" and defrag == "always"
    return CheckResult(
        name=_NAME,
        status="warn" if stalls else "ok",
        observed=f"{enabled}, defragmentation {defrag or 'unknown'}",
        meaning=(
            "The first touch of a large buffer can stop the program while memory is compacted."
            if stalls
            else _MEANINGS.get(enabled, "")
        ),
        advice="Let the kernel compact memory only where a program asks." if stalls else None,
        command=f"echo madvise | sudo tee {_FOLDER}/defrag" if stalls else None,
    )
