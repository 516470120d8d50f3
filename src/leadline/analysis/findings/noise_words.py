"""The wording of noise in findings: ranks, periods, and their sources."""

import math
from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.model.noise import Noise, Period

_SOURCE = {
    "timer tick": "the timer tick of this kernel ({rate} Hz)",
    "timer ticks": "kernel work at {ticks} timer ticks ({rate} Hz)",
    "hypervisor tick": "a tick of the host ({rate} Hz)",
    "daemon": "a program that sleeps for a round time",
}


def by_library(evidence: Evidence, works: bool = False) -> Iterator[list[Noise]]:
    """Yield the noise of the figures of each benchmark and MPI; of mere work only, if so asked."""
    of_point = {one.point: one for one in evidence.noise if one.costs or not works}
    for group in evidence.groups(of_point):
        yield [of_point[index] for index in group]


def source_text(period: Period) -> str:
    """Return the name of the period's source."""
    if period.source is None:
        return "an unknown source"
    rate = period.rate_hz or 0.0
    return _SOURCE[period.source].format(rate=f"{rate:.3g}", ticks=round(period.period_s * rate))


def period_text(period: Period) -> str:
    """Return a period such as `4.00 ms`, with up to three digits, as its interval allows."""
    half = max((period.ci95_high_s - period.ci95_low_s) / 2, 1e-9)
    digits = min(3, max(1, 1 + math.floor(math.log10(period.period_s / half))))
    scale, unit = (1.0, "s") if period.period_s >= 1 else (1e3, "ms")
    return f"{period.period_s * scale:#.{digits}g}".rstrip(".") + f" {unit}"


def ranks_text(noise: Noise, period: Period) -> str:
    """Return which ranks a period hits, and whether at once."""
    known = len(noise.ranks)
    if len(period.ranks) == known:
        where = "on every rank" if known > 1 else f"on rank {period.ranks[0]}"
    else:
        some = ", ".join(map(str, period.ranks[:8])) + (", ..." if len(period.ranks) > 8 else "")
        where = f"on rank{'s' if len(period.ranks) > 1 else ''} {some} only"
    when = {True: ", at once", False: ", at different times", None: ""}
    return where + when[period.together]
