"""Processor time rationed by a control group."""

from leadline.model.summary import CheckResult
from leadline.site.doctor.system import System
from leadline.site.hardware.processors import read_allowed
from leadline.site.hardware.quotas import quota_cores


def check(system: System) -> CheckResult:
    """Tell of a quota below the processors that ranks may use."""
    quota = quota_cores(system.files)
    usable = len(read_allowed(system.files))
    if quota is None or quota >= usable:
        return CheckResult(
            name="cpu-quota",
            status="ok",
            observed=f"no limit below the {usable} allowed processors",
            meaning="Ranks may run all the time.",
        )
    return CheckResult(
        name="cpu-quota",
        status="bad",
        observed=f"{quota:g} processors' time for {usable} allowed processors",
        meaning="Ranks that spin use up the quota, and are stopped for milliseconds.",
        advice="Raise the limit: of docker, the pod, or CPUQuota of systemd.",
        numbers={"quota_processors": quota, "allowed": usable},
    )
