"""Sizes from which the library sends by another protocol or algorithm."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from leadline.analysis.findings.curve_causes import Switch, halves, switches
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.losses import places_text
from leadline.analysis.findings.words import (
    TUNE,
    command,
    compared_text,
    library_axis,
    name_of,
    tuning,
)
from leadline.core.units import format_bytes, format_seconds, times
from leadline.model.summary import Finding, Gain, PointSummary, Sweep

TOPIC = "speed"
ADVICE = "Where it costs, move the limit (knob `eager_limit`), or avoid the size."
EVIDENCE = {
    "from_bytes": "last size before the switch",
    "to_bytes": "first size after it",
    "from_s": "time before it",
    "to_s": "time after it",
    "step_factor": "step beyond smooth growth",
    "curves": "curves with this switch",
}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a finding for each step of a curve: a notice if it costs, a fact if it gains.

    One for the same step on several numbers of processes.
    """
    groups: dict[object, list[tuple[Sweep, Switch]]] = defaultdict(list)
    for sweep in evidence.curves_of_messages:
        for one in switches(evidence, sweep):
            sizes = [evidence.points[index].bytes for index in (one.before, one.after)]
            key = (sweep.benchmark, sweep.series, sweep.variant, sweep.mpi, *sizes)
            groups[key, one.factor > 1].append((sweep, one))
    for found in groups.values():
        yield _finding(evidence, found)


def _finding(evidence: Evidence, found: Sequence[tuple[Sweep, Switch]]) -> Finding:
    sweep, step = max(found, key=lambda one: abs(one[1].factor - 1))
    small, large = evidence.points[step.before], evidence.points[step.after]
    slower = step.factor > 1
    factor = step.factor if slower else 1 / step.factor
    collective = library_axis(evidence, sweep.benchmark) is not None
    split = next(
        (f" Two of {format_bytes(small.bytes)} are {compared_text(one.ratio, 'faster')} than one."
         for one in halves(evidence, sweep)
         if (one.slow, one.fast) == (step.after, step.before)), "",
    )  # fmt: skip
    advice, again = _advice(evidence, step, collective) if slower else (None, None)
    return Finding(
        severity="notice" if slower else "fact",
        text=f"{name_of(evidence, step.after, without=['bytes', 'place'])} switches "
        f"{'algorithm' if collective else 'protocol'} between {format_bytes(small.bytes)} and "
        f"{format_bytes(large.bytes)}{places_text(evidence, [one.after for _, one in found])}: "
        f"{format_seconds(small.median_s)} becomes {format_seconds(large.median_s)}, "
        f"{times(factor)} {'slower' if slower else 'faster'} than expected.{split}",
        effect=step.factor,
        evidence={
            "from_bytes": float(small.bytes or 0),
            "to_bytes": float(large.bytes or 0),
            "from_s": small.median_s,
            "to_s": large.median_s,
            "step_factor": step.factor,
            "curves": float(len(found)),
        },
        advice=advice,
        command=again,
        gain=Gain(times=factor) if slower else None,
        points=tuple(index for _, one in found for index in (one.before, one.after)),
    )


def _advice(evidence: Evidence, step: Switch, collective: bool) -> tuple[str, str | None]:
    """Return what to do about a step that costs, and the command that does or proves it."""
    large = evidence.points[step.after]
    if collective:
        again = tuning(evidence, step.after)
        if again:
            return TUNE, again
        return "Move the library's threshold between two algorithms.", None
    advice = f"Try an eager limit of {format_bytes(large.bytes)}."
    if evidence.run.imported or evidence.run.platform:
        return advice, None
    again = command(evidence, [step.before, step.after])
    knob = _knob(large)
    return advice, again if knob in large.knobs else f"{again} --knob {knob}=default,{large.bytes}"


def _knob(point: PointSummary) -> str:
    return "shm_eager_limit" if point.nodes == 1 else "eager_limit"
