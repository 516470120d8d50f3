"""Processors: model, topology and caches, from /proc/cpuinfo and /sys/devices/system/cpu."""

from typing import Any

from leadline.machine.files import Files, parse_cpus
from leadline.units import parse_bytes

CPU = "/sys/devices/system/cpu"


def online(files: Files) -> list[int]:
    """Return the processors that the kernel uses."""
    return parse_cpus(files.text(f"{CPU}/online") or "")


def allowed(files: Files) -> list[int]:
    """Return the processors that this process may use (affinity and cpuset)."""
    return parse_cpus(files.table("/proc/self/status").get("Cpus_allowed_list", ""))


def isolated(files: Files) -> list[int]:
    """Return the processors that the scheduler leaves alone (`isolcpus`)."""
    return parse_cpus(files.text(f"{CPU}/isolated") or "")


def topology(files: Files) -> dict[str, int]:
    """Return the counts `sockets`, `cores` and `threads_per_core` of the online processors.

    Empty where the kernel shows no topology.
    """
    places = {
        (
            files.number(f"{CPU}/cpu{cpu}/topology/physical_package_id"),
            files.text(f"{CPU}/cpu{cpu}/topology/thread_siblings_list"),
        )
        for cpu in online(files)
    }
    known = {(socket, siblings) for socket, siblings in places if siblings}
    if not known:
        return {}
    return {
        "sockets": len({socket for socket, _ in known}),
        "cores": len({siblings for _, siblings in known}),
        "threads_per_core": max(len(parse_cpus(siblings)) for _, siblings in known),
    }


def caches_bytes(files: Files) -> dict[str, int]:
    """Return the size of one cache of each kind of the first online processor, in bytes.

    Keys are `L1d`, `L1i`, `L2`, `L3`, as far as they exist.
    """
    sizes: dict[str, int] = {}
    for folder in (f"{CPU}/cpu{cpu}/cache" for cpu in online(files)[:1]):
        for index in (name for name in files.names(folder) if name.startswith("index")):
            level = files.text(f"{folder}/{index}/level")
            size = files.text(f"{folder}/{index}/size")
            kind = {"Data": "d", "Instruction": "i"}.get(
                files.text(f"{folder}/{index}/type") or "", ""
            )
            if level and size:
                sizes[f"L{level}{kind}"] = parse_bytes(size)
    return dict(sorted(sizes.items()))


def model(files: Files) -> str | None:
    """Return the processor's name as the kernel tells it."""
    table = files.table("/proc/cpuinfo")
    if name := table.get("model name") or table.get("cpu"):
        return name
    # Arm kernels give numbers instead of a name.
    if "CPU implementer" in table:
        return f"implementer {table['CPU implementer']} part {table.get('CPU part', 'unknown')}"
    return None


def describe(files: Files) -> dict[str, Any]:
    """Return the facts about processors for `run.json`; processor lists are the kernel's."""
    return {
        "cpu_model": model(files),
        **topology(files),
        "cpus_online": files.text(f"{CPU}/online"),
        "cpus_allowed": files.table("/proc/self/status").get("Cpus_allowed_list"),
        "cpus_isolated": files.text(f"{CPU}/isolated") or None,
        "numa_nodes": len(parse_cpus(files.text("/sys/devices/system/node/online") or "0")),
        "caches_bytes": caches_bytes(files),
        "frequency_governor": files.text(f"{CPU}/cpu0/cpufreq/scaling_governor"),
        "clock_source": files.text(
            "/sys/devices/system/clocksource/clocksource0/current_clocksource"
        ),
    }
