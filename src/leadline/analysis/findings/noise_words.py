"""The wording of noise in findings: ranks, periods, and their sources."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.core.units import number
from leadline.model.noise import Noise, Period

_SOURCE = {
    "timer tick": "which is that of the timer tick of a kernel with {rate} Hz",
    "timer ticks": "which is {ticks} timer ticks of this kernel with {rate} Hz",
    "hypervisor tick": "which is no tick of this kernel, but of a host with {rate} Hz",
    "daemon": "which a program has that wakes up, works and sleeps for a round time again",
}


def by_library(evidence: Evidence, works: bool = False) -> Iterator[list[Noise]]:
    """Yield the noise of the figures of each benchmark and MPI; of mere work only, if so asked."""
    of_point = {one.point: one for one in evidence.noise if one.costs or not works}
    for group in evidence.groups(of_point):
        yield [of_point[index] for index in group]


def source_text(period: Period) -> str:
    """Return what is known to have such a period, between commas; empty for nothing."""
    if period.source is None:
        return ""
    rate = period.rate_hz or 0.0
    text = _SOURCE[period.source].format(rate=number(rate), ticks=round(period.period_s * rate))
    return f", {text},"


def period_text(period: Period) -> str:
    """Return a period with its 95 % interval, such as `4.00000 ms (3.99990 ms to 4.00010 ms)`.

    As many digits as the interval allows.
    """
    half = (period.ci95_high_s - period.ci95_low_s) / 2
    scale, unit = (1.0, "s") if period.period_s >= 1 else (1e3, "ms")
    places = 0
    while places < 6 and half * scale * 10**places < 1:
        places += 1
    texts = [
        f"{value * scale:.{places}f} {unit}"
        for value in (period.period_s, period.ci95_low_s, period.ci95_high_s)
    ]
    return f"{texts[0]} ({texts[1]} to {texts[2]})"


def ranks_text(noise: Noise, period: Period) -> str:
    """Return which ranks a period hits, and whether at once."""
    known = len(noise.ranks)
    if len(period.ranks) == known:
        where = "on every rank" if known > 1 else f"on rank {period.ranks[0]}"
    else:
        some = ", ".join(map(str, period.ranks[:8])) + (", ..." if len(period.ranks) > 8 else "")
        where = f"on rank{'s' if len(period.ranks) > 1 else ''} {some} only"
    when = {True: ", on all of them at once", False: ", on each at its own time", None: ""}
    return where + when[period.together]
