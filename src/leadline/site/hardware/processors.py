"""Processors: model, topology, caches (/proc/cpuinfo, /sys), and their time that is rationed."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from leadline.core.units import parse_bytes
from leadline.site.hardware.files import Files, parse_cpus

CPU = "/sys/devices/system/cpu"


def online(files: Files) -> list[int]:
    """Return the processors that the kernel uses."""
    return parse_cpus(files.text(f"{CPU}/online") or "")


def read_allowed(files: Files) -> list[int]:
    """Return the processors that this process may use (affinity and cpuset)."""
    return parse_cpus(files.table("/proc/self/status").get("Cpus_allowed_list", ""))


def read_isolated(files: Files) -> list[int]:
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


def nominal_frequency(files: Files) -> tuple[float, str] | None:
    """Return the frequency in Hz at which the processor is sold, and who says so.

    What runs at it is the processor's time-stamp counter, where it has one; the cores themselves
    may be faster or slower at any moment. None where nobody tells.
    """
    cpufreq = f"{CPU}/cpu0/cpufreq"
    if khz := files.number(f"{cpufreq}/base_frequency"):
        return khz * 1e3, "base_frequency of cpufreq"
    if mhz := files.number(f"{CPU}/cpu0/acpi_cppc/nominal_freq"):
        return mhz * 1e6, "nominal_freq of acpi_cppc"
    table = files.table("/proc/cpuinfo")
    if found := re.search(r"@ ([\d.]+) ?GHz", table.get("model name", "")):
        return float(found[1]) * 1e9, "the processor's name"
    # Without a driver that changes it and a counter that shows the change, this is the kernel's
    # constant.
    fixed = not files.exists(cpufreq) and "aperfmperf" not in table.get("flags", "").split()
    if fixed and (found := re.fullmatch(r"[\d.]+", table.get("cpu MHz", ""))):
        return float(found[0]) * 1e6, "cpu MHz in /proc/cpuinfo"
    return None


def describe(files: Files) -> dict[str, Any]:
    """Return the facts about processors for `run.json`; processor lists are the kernel's."""
    frequency, source = nominal_frequency(files) or (None, None)
    return {
        "cpu_model": model(files),
        "nominal_frequency_hz": frequency,
        "nominal_frequency_source": source,
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


_MOUNT = "/sys/fs/cgroup"


def quota_cores(files: Files, process: str = "self") -> float | None:
    """Return the smallest quota of a process's control group and all above it, in processors.

    None where there is no limit.
    """
    return quota_of(files, process)[0]


def quota_of(files: Files, process: str = "self") -> tuple[float | None, str]:
    """Return the smallest quota and the file that holds it; None and nothing for no limit."""
    quotas = [
        (*found, group) for group in _groups(files, process) if (found := _quota(files, group))
    ]
    if not quotas:
        return None, ""
    cores, file, group = min(quotas)
    return cores, f"{group}/{file}"


def throttled_s(files: Files, process: str = "self") -> float:
    """Return for how many seconds the control groups have been stopped until now, the worst one."""
    return max((_throttled(files, group) for group in _groups(files, process)), default=0.0)


def _groups(files: Files, process: str) -> Iterator[str]:
    """Yield the folders of the control group and of all above it."""
    folders = [_MOUNT, f"{_MOUNT}/cpu"]
    for line in (files.text(f"/proc/{process}/cgroup") or "").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        mount = f"{_MOUNT}/cpu" if controllers else _MOUNT
        group = PurePosixPath(path.lstrip("/"))
        folders += [f"{mount}/{folder}" for folder in (group, *group.parents)]
    yield from dict.fromkeys(folders)


def _quota(files: Files, group: str) -> tuple[float, str] | None:
    words = (files.text(f"{group}/cpu.max") or "").split()
    if len(words) == 2 and words[0] != "max":
        return int(words[0]) / int(words[1]), "cpu.max"
    quota, period = (files.number(f"{group}/cpu.cfs_{name}_us") for name in ("quota", "period"))
    return (quota / period, "cpu.cfs_quota_us") if quota and period and quota > 0 else None


def _throttled(files: Files, group: str) -> float:
    """Return the seconds; version 2 counts microseconds, version 1 nanoseconds."""
    lines = (line.split() for line in (files.text(f"{group}/cpu.stat") or "").splitlines())
    counts = {words[0]: int(words[1]) for words in lines if len(words) == 2 and words[1].isdigit()}
    return counts.get("throttled_usec", 0) * 1e-6 or counts.get("throttled_time", 0) * 1e-9
