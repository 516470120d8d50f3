"""Programs that take processor time while nothing is measured."""

from leadline.model.summary import CheckResult
from leadline.site.doctor.system import System
from leadline.site.processes import KERNEL, Process

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
    # Nobody can end the kernel's threads.
    users = [one for one in top if one.parent != KERNEL and one.cpu_share >= _NOTICEABLE]
    return CheckResult(
        name="other-load",
        status="ok" if quiet else "warn" if busy < _HARMFUL else "bad",
        observed=f"{busy:.2f} processors busy"
        + (f": {'; '.join(map(str, top))}" if top else "")
        + f" (sample of {system.interval.rates['sample_s']:.1f} s)",
        meaning=(
            "No other program takes noticeable processor time."
            if quiet
            else "A rank that shares its core with another program waits for scheduler ticks. "
            "Tails grow first, then medians."
        ),
        advice=f"Stop {' and '.join(_named(users))}, or measure later." if users else None,
        numbers={"busy_processors": busy},
    )


def _named(users: list[Process]) -> list[str]:
    return [f"{one.name} (process {one.pid}, user {one.user})" for one in users]
