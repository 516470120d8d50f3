"""Memory, shared and locked, and the kernel's work on it: checks."""

import errno
import os
import re

from leadline.core.units import format_bytes
from leadline.model.summary import CheckResult
from leadline.site.doctor.checks.verdict import Cure, verdict
from leadline.site.doctor.system import System
from leadline.site.hardware.files import parse_cpus
from leadline.site.hardware.inventory import infiniband, meminfo_bytes
from leadline.site.hardware.processors import read_allowed

MEMORY_LOCK_FILES = ("/proc/self/limits", "/sys/class/infiniband/*/ports/1/state")


def memory_lock(system: System) -> CheckResult:
    """How much memory a network card may be given to write to."""
    limits = system.files.text("/proc/self/limits") or ""
    match = re.search(r"^Max locked memory\s+(\w+)", limits, re.MULTILINE)
    if not match:
        meaning = "RDMA needs locked memory; with a small limit libraries fall back to TCP."
        return verdict("unknown", "/proc/self/limits does not tell", meaning)
    devices = sorted({port["device"] for port in infiniband(system.files)})
    limited = match[1] != "unlimited"
    limit = format_bytes(int(match[1])) if limited else "none"
    cards = f"RDMA devices {', '.join(devices)}" if devices else "no RDMA device"
    observed = f"limit {limit}, {cards}"
    numbers = {"limit_bytes": float(match[1])} if limited else {}
    if not devices:
        meaning = "The limit does not matter without an RDMA device."
        return verdict("ok", observed, meaning, **numbers)
    if not limited:
        return verdict("ok", observed, "RDMA may lock all the memory that it needs.", **numbers)
    return verdict(
        "bad",
        observed,
        "RDMA needs locked memory; with this limit libraries fail or fall back to TCP.",
        (
            "Set memlock to unlimited in /etc/security/limits.conf (and LimitMEMLOCK of the "
            "batch system's daemon), then log in again.",
        ),
        **numbers,
    )


_LEAST_AVAILABLE = 0.05
_NOTICEABLE_SWAP_BYTES = 64 * 2**20


def memory_pressure(system: System) -> CheckResult:
    """Swap in use and memory left."""
    sizes = meminfo_bytes(system.files)
    total, available = sizes["MemTotal"], sizes["MemAvailable"]
    swapped = sizes.get("SwapTotal", 0) - sizes.get("SwapFree", 0)
    status, meaning = "ok", "Buffers stay in memory."
    cure: Cure = ()
    if available < _LEAST_AVAILABLE * total:
        status = "bad"
        meaning = "Memory is nearly full: buffers are reclaimed and moved while they are measured."
        cure = ("Stop programs that hold memory, or measure smaller messages.",)
    elif swapped > _NOTICEABLE_SWAP_BYTES:
        status = "warn"
        meaning = "Some memory is on disk; fetching it back takes milliseconds."
        cure = ("Bring everything back from the disk.", "sudo swapoff -a && sudo swapon -a")
    return verdict(
        status,
        f"{available / 2**30:.1f} GiB available of {total / 2**30:.1f} GiB, "
        f"{_mebibytes(swapped)} in swap",
        meaning,
        cure,
        available_bytes=available,
        total_bytes=total,
        swapped_bytes=swapped,
    )


NUMA_BALANCING_FILES = ("/sys/devices/system/node/online", "/proc/sys/kernel/numa_balancing")


def numa_balancing(system: System) -> CheckResult:
    """Pages that the kernel moves to the node where they are used."""
    nodes = len(parse_cpus(system.files.text(NUMA_BALANCING_FILES[0]) or "0"))
    setting = system.files.number(NUMA_BALANCING_FILES[1]) or 0
    observed = f"{'on' if setting else 'off'}, {nodes} memory {'node' if nodes == 1 else 'nodes'}"
    numbers = {"setting": setting, "memory_nodes": nodes}
    if not setting or nodes < 2:
        return verdict("ok", observed, "Pages stay where they were first touched.", **numbers)
    return verdict(
        "warn",
        observed,
        "The kernel unmaps and moves pages: page faults in the middle of a measurement.",
        ("Switch balancing off: ranks are pinned anyway.", "sudo sysctl kernel.numa_balancing=0"),
        **numbers,
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
        command = "sudo mount -t tmpfs -o mode=1777 tmpfs /dev/shm"
        return verdict("bad", "no /dev/shm", _MEANING, ("Mount /dev/shm.", command))
    if sizes.read_only:
        command = "sudo mount -o remount,rw /dev/shm"
        return verdict("bad", "/dev/shm is read-only", _MEANING, ("Make it writable.", command))
    share = sizes.free_bytes // ranks
    status, cure = "ok", ""
    if share < _COMFORT_BYTES_PER_RANK:
        status = "bad" if share < _LEAST_BYTES_PER_RANK else "warn"
        cure = (
            "Remove left-over files in /dev/shm; give a container "
            f"{_mebibytes(ranks * _COMFORT_BYTES_PER_RANK)} of it (option shm-size)."
        )
    return verdict(
        status,
        f"/dev/shm has {_mebibytes(sizes.free_bytes)} free of {_mebibytes(sizes.size_bytes)}, "
        f"{_mebibytes(share)} for each of {ranks} ranks",
        _MEANING,
        (cure,) if cure else (),
        size_bytes=sizes.size_bytes,
        free_bytes=sizes.free_bytes,
    )


def _mebibytes(size_bytes: int) -> str:
    return f"{size_bytes / 2**20:.0f} MiB"


def single_copy(system: System) -> CheckResult:
    """Whether a rank may copy straight from another rank's memory."""
    error = system.read_neighbour()
    scope = system.files.number("/proc/sys/kernel/yama/ptrace_scope")
    numbers = {"error": float(error)} | ({} if scope is None else {"ptrace_scope": float(scope)})
    if error == 0:
        observed = "process_vm_readv works between two processes"
        meaning = "Libraries can copy a large message once inside a node."
        return verdict("ok", observed, meaning, **numbers)
    reason, cure = _refusal(system, error, scope)
    return verdict(
        "warn",
        f"process_vm_readv is refused ({os.strerror(error)}): {reason}",
        "Messages inside a node are copied twice: large ones reach about half the bandwidth of the "
        "memory.",
        cure,
        **numbers,
    )


def _refusal(system: System, error: int, scope: int | None) -> tuple[str, Cure]:
    if error == errno.ENOSYS:
        return "unknown to this kernel or sandbox", ()
    if scope:
        reason = f"yama's ptrace_scope is {scope}; at 1 libraries can ask for permission (prctl)"
        command = "sudo sysctl kernel.yama.ptrace_scope=0"
        return reason, ("Allow it for all processes of a user.", command)
    advice = "Start with the capability SYS_PTRACE."
    if system.files.table("/proc/self/status").get("Seccomp") == "2":
        advice = (
            "Start the container with the capability SYS_PTRACE, or with another seccomp profile."
        )
        return "a seccomp filter is on, as in containers", (advice,)
    return "a security module or missing capability", (advice,)


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
    enabled, defrag = map(system.files.choice, HUGE_PAGES_FILES)
    if enabled is None:
        return verdict("ok", "not in this kernel", _MEANINGS["never"])
    observed = f"{enabled}, defragmentation {defrag or 'unknown'}"
    if enabled != "always" or defrag != "always":
        return verdict("ok", observed, _MEANINGS.get(enabled, ""))
    return verdict(
        "warn",
        observed,
        "The first touch of a large buffer can stop the program while memory is compacted.",
        (
            "Let the kernel compact memory only where a program asks.",
            f"echo madvise | sudo tee {HUGE_PAGES_FILES[1]}",
        ),
    )
