"""Peak rates against the rate of the link."""

from collections.abc import Iterator, Sequence

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.limits import limit_of, streams, sustained
from leadline.analysis.findings.words import again, name_of
from leadline.core.units import format_bytes, percent, rate_text
from leadline.model.summary import Finding

TOPIC = "hardware"
ADVICE = "Far below the link's rate, send several messages at once, or from several processes."
EVIDENCE = {
    "best_MBps": "peak rate",
    "limit_MBps": "rate of the link",
    "limit_fraction": "peak over limit",
    "largest_size_MBps": "rate at the largest size",
    "still_rising": "1 where the largest size is still clearly faster",
}

# From this share of the limit on there is little left to gain.
_NEAR = 0.8
# The last sizes differ by less than this where a curve has come to its end.
_LEVEL = 0.05


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a finding for each curve between two processes whose limit is known.

    A fact for one that comes near it, a notice for one that does not.
    """
    for sweep in evidence.curves_of_messages:
        usable = sustained(evidence, sweep)
        if sweep.processes == 2 and sweep.best_MBps and len(usable) > 1:
            yield from _of_sizes(evidence, usable)


def _of_sizes(evidence: Evidence, usable: Sequence[int]) -> Iterator[Finding]:
    best = max(usable, key=lambda index: evidence.points[index].bandwidth_MBps or 0.0)
    rate = evidence.points[best].bandwidth_MBps or 0.0
    last, before = (evidence.points[i].bandwidth_MBps or 0.0 for i in usable[:-3:-1])
    bound = limit_of(evidence, evidence.points[best], "bandwidth_MBps")
    if bound is None:
        return
    limit = bound.value * streams(evidence.points[best])
    share = rate / limit
    if share > 1:
        return
    rising = last > before * (1 + _LEVEL)
    course = ", still rising" if rising else ""
    size = format_bytes(evidence.points[best].bytes or 0)
    source = bound.source or "given"
    yield Finding(
        severity="fact" if share >= _NEAR else "notice",
        text=f"{name_of(evidence, best, without=['bytes'])} reaches {percent(share)} of the link: "
        f"{rate_text(rate)} at {size} of {rate_text(limit)} ({source}){course}.",
        evidence={
            "best_MBps": rate,
            "limit_MBps": limit,
            "limit_fraction": share,
            "largest_size_MBps": last,
            "still_rising": float(rising),
        },
        advice=None if share >= _NEAR else _advice(rising),
        command=_command(evidence, usable[-1]) if rising and share < _NEAR else None,
        points=(best, usable[-1]),
    )


def _advice(rising: bool) -> str:
    if rising:
        return "Measure larger messages."
    return "Send several messages at once, or from several processes: one does not fill the link."


def _command(evidence: Evidence, index: int) -> str | None:
    largest = evidence.points[index].bytes or 0
    axis = evidence.axis(evidence.points[index].benchmark, "bytes")
    most = int((axis.maximum if axis else None) or 8 * largest)
    if 2 * largest > most:
        return None
    return again(evidence, [index], bytes=f"{largest}:{min(8 * largest, most)}:x2")
