"""Programs that take processor time beside the measurement."""

from leadline.model.summary import CheckResult
from leadline.site.doctor.system import System

_NOTICEABLE, _HARMFUL = 0.1, 0.5


def check(system: System) -> CheckResult:
    """Name the three busiest processes and judge what all of them take together."""
    others = sorted(
        (process for process in system.interval.processes if not process.own),
        key=lambda process: -process.cpu_share,
    )
    busy = sum(process.cpu_share for process in others)
    top = [process for process in others[:3] if process.cpu_share >= _NOTICEABLE / 10]
    quiet = busy < _NOTICEABLE
    return CheckResult(
        name="other-load",
        status="ok" if quiet else "warn" if busy < _HARMFUL else "bad",
        observed=f"{busy:.2f} processors busy"
        + (f": {'; '.join(map(str, top))}" if top else "")
        + f" (sample of {system.interval.rates['sample_s']:.1f} s)",
        meaning=(
            "Nothing else takes noticeable processor time."
            if quiet
            else "A rank that shares its core with another program waits for whole scheduler "
            "ticks: tails grow first, then medians."
        ),
        advice=None if quiet else "end or move the programs named here, or measure later",
        numbers={"busy_processors": busy},
    )
