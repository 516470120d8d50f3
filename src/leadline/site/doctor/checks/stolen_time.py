"""Processor time that the hypervisor gave to other virtual machines."""

from leadline.model.summary import CheckResult
from leadline.site.doctor.system import System
from leadline.site.hardware.activity import read_counters

_NOTICEABLE, _HARMFUL = 0.005, 0.05


def check(system: System) -> CheckResult:
    """Judge the stolen share now and since the machine started."""
    now = system.interval.rates["stolen_fraction"]
    counters = read_counters(system.files)
    ever = counters.stolen / max(counters.total, 1)
    # The short sample is coarse: one tick of ten milliseconds is already above the limit.
    worst = max(now, ever)
    return CheckResult(
        name="stolen-time",
        status="ok" if worst < _NOTICEABLE else "warn" if worst < _HARMFUL else "bad",
        observed=f"{now:.2%} now, {ever:.2%} since the machine started",
        meaning=(
            "No other machine takes noticeable time from this one."
            if worst < _NOTICEABLE
            else "The hypervisor stops ranks for milliseconds in the middle of an operation."
        ),
        advice=(
            None
            if worst < _NOTICEABLE
            else "Ask for dedicated processors, or measure more launches."
        ),
        numbers={"now_fraction": now, "since_start_fraction": ever},
    )
