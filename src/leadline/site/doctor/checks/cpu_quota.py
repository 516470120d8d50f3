"""Processor time rationed by a control group."""

from pathlib import PurePosixPath

from leadline.model.summary import CheckResult
from leadline.site.doctor.system import System
from leadline.site.hardware.files import Files
from leadline.site.hardware.processors import read_allowed

_MOUNT = "/sys/fs/cgroup"


def check(system: System) -> CheckResult:
    """Tell of a quota below the processors that ranks may use."""
    quotas = [quota for group in _groups(system.files) if (quota := _quota(system.files, group))]
    usable = len(read_allowed(system.files))
    if not quotas or min(quotas) >= usable:
        return CheckResult(
            name="cpu-quota",
            status="ok",
            observed=f"no limit below the {usable} allowed processors",
            meaning="Ranks may run all the time.",
        )
    return CheckResult(
        name="cpu-quota",
        status="bad",
        observed=f"{min(quotas):g} processors' time for {usable} allowed processors",
        meaning="Ranks that spin use up the quota, and are stopped for milliseconds.",
        advice="Raise the limit: of docker, the pod, or CPUQuota of systemd.",
        numbers={"quota_processors": min(quotas), "allowed": usable},
    )


def _groups(files: Files) -> list[str]:
    """Return the folders of this process's control group and of all above it."""
    folders = [_MOUNT, f"{_MOUNT}/cpu"]
    for line in (files.text("/proc/self/cgroup") or "").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        mount = f"{_MOUNT}/cpu" if controllers else _MOUNT
        group = PurePosixPath(path.lstrip("/"))
        folders += [f"{mount}/{folder}" for folder in (group, *group.parents)]
    return folders


def _quota(files: Files, group: str) -> float | None:
    """Return the quota in processors, from either version's files."""
    words = (files.text(f"{group}/cpu.max") or "").split()
    if len(words) == 2 and words[0] != "max":
        return int(words[0]) / int(words[1])
    quota, period = (files.number(f"{group}/cpu.cfs_{name}_us") for name in ("quota", "period"))
    return quota / period if quota and period and quota > 0 else None
