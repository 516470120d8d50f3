"""Processor time that control groups ration, of both versions (cgroups(7))."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from leadline.site.hardware.files import Files

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
    """Return the quota in processors, and the name of the file, of either version."""
    words = (files.text(f"{group}/cpu.max") or "").split()
    if len(words) == 2 and words[0] != "max":
        return int(words[0]) / int(words[1]), "cpu.max"
    quota, period = (files.number(f"{group}/cpu.cfs_{name}_us") for name in ("quota", "period"))
    return (quota / period, "cpu.cfs_quota_us") if quota and period and quota > 0 else None


def _throttled(files: Files, group: str) -> float:
    """Return the seconds; version 2 counts microseconds, version 1 nanoseconds."""
    lines = (line.split() for line in (files.text(f"{group}/cpu.stat") or "").splitlines())
    said = {words[0]: int(words[1]) for words in lines if len(words) == 2 and words[1].isdigit()}
    return said.get("throttled_usec", 0) * 1e-6 or said.get("throttled_time", 0) * 1e-9
