"""Sizes from which the library visibly sends in another way."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.limits import sustained
from leadline.analysis.findings.words import command, name_of
from leadline.analysis.results.sweep import Step, steps
from leadline.core.units import format_bytes, format_seconds, number
from leadline.model.summary import Finding, Sweep

TOPIC = "speed"
ADVICE = "Where it costs, move the limit (knob `eager_limit`) or choose sizes beside it."


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a finding for each step of each curve: a notice if it costs, a fact if it gains."""
    for sweep in evidence.curves_of_messages:
        kept_up = sustained(evidence, sweep)
        for step in steps([evidence.points[index] for index in sweep.points]):
            sides = sweep.points[step.position - 1 : step.position + 1]
            if not any(evidence.mostly_disturbed(i) or i not in kept_up for i in sides):
                yield _finding(evidence, sweep, step)


def _finding(evidence: Evidence, sweep: Sweep, step: Step) -> Finding:
    before, after = sweep.points[step.position - 1], sweep.points[step.position]
    small, large = evidence.points[before], evidence.points[after]
    from_bytes, to_bytes = small.bytes or 0, large.bytes or 0
    slower = step.factor > 1
    factor = step.factor if slower else 1 / step.factor
    closer = f"{from_bytes}:{to_bytes}:{max(1, (to_bytes - from_bytes) // 16)}"
    knob = "shm_eager_limit" if large.nodes == 1 else "eager_limit"
    return Finding(
        severity="notice" if slower else "fact",
        text=f"{name_of(evidence, after, without=['bytes'])} changes its way of sending between "
        f"{format_bytes(from_bytes)} and {format_bytes(to_bytes)}: "
        f"{format_seconds(small.median_s)} becomes {format_seconds(large.median_s)}, "
        f"{number(factor)} times {'more' if slower else 'less'} than smooth growth explains.",
        effect=step.factor,
        evidence={
            "from_bytes": float(from_bytes),
            "to_bytes": float(to_bytes),
            "from_s": small.median_s,
            "to_s": large.median_s,
            "step_factor": step.factor,
        },
        advice=_advice(evidence, after, closer, f"{knob}=default,{to_bytes}"),
        points=(before, after),
    )


def _advice(evidence: Evidence, index: int, sizes: str, knob: str) -> str:
    if evidence.run.imported:
        return (
            "Where it is the library's eager limit, move it there; otherwise it is the threshold "
            "of an algorithm."
        )
    return (
        f"Find the exact size with `{command(evidence, [index], bytes=sizes)}`. Where it is the "
        f"library's eager limit, `--knob {knob}` moves it; otherwise it is the threshold of an "
        "algorithm."
    )
