"""Curves over sizes that switch to another protocol, or whose rate falls."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from leadline.analysis.findings.advice import Advise
from leadline.analysis.findings.curve_causes import (
    HELD,
    Fall,
    Switch,
    cache_that_ends,
    fall,
    halves,
    places_text,
    switches,
)
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.words import (
    command,
    compared_text,
    library_axis,
    name_of,
    place_of,
    worst_of,
)
from leadline.core.units import format_bytes, format_seconds, percent, rate_text, times
from leadline.model.summary import Advice, Finding, Sweep


@rule(
    "speed",
    cure="Where it costs, try another limit (knob `eager_limit`).",
    evidence={
        "from_bytes": "last size before the switch",
        "to_bytes": "first size after it",
        "from_s": "time before it",
        "to_s": "time after it",
        "step_factor": "step beyond smooth growth",
        "curves": "curves with this switch",
    },
)
def protocol_switch(evidence: Evidence) -> Iterator[Finding]:
    """Sizes from which the library sends by another protocol or algorithm."""
    # One for the same step on several numbers of processes.
    groups: dict[object, list[tuple[Sweep, Switch]]] = defaultdict(list)
    for sweep in evidence.curves_of_messages:
        for one in switches(evidence, sweep):
            sizes = [evidence.points[index].bytes for index in (one.before, one.after)]
            key = (sweep.benchmark, sweep.series, sweep.variant, sweep.mpi, *sizes)
            groups[key, one.factor > 1].append((sweep, one))
    for found in groups.values():
        yield _switch_finding(evidence, found)


def _switch_finding(evidence: Evidence, found: Sequence[tuple[Sweep, Switch]]) -> Finding:
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
    advice, again = _switch_advice(evidence, step, collective) if slower else (None, None)
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
        points=tuple(index for _, one in found for index in (one.before, one.after)),
    )


def _is_one_sided(evidence: Evidence, benchmark: str) -> bool:
    """Whether nobody receives: no limit of eager messages moves the switch of a put or get."""
    of_name = (each for each in evidence.run.benchmarks if each.name == benchmark)
    apart = any(each.api == "shmem" for each in of_name)
    return apart or evidence.axis(benchmark, "synchronisation") is not None


def _switch_advice(
    evidence: Evidence, step: Switch, collective: bool
) -> tuple[Advice | None, str | None]:
    large = evidence.points[step.after]
    if _is_one_sided(evidence, large.benchmark):
        return None, None
    if collective or evidence.run.imported or evidence.run.platform:
        return None, None
    advice = Advise.EAGER_LIMIT(size=format_bytes(large.bytes))
    again = command(evidence, [step.before, step.after])
    knob = "shm_eager_limit" if large.nodes == 1 else "eager_limit"
    return advice, again if knob in large.knobs else f"{again} --knob {knob}=default,{large.bytes}"


@rule(
    "speed",
    evidence={
        "best_size_bytes": "size with the peak rate",
        "best_MBps": "peak rate",
        "falls_from_bytes": "first size below 90 % of the peak",
        "largest_size_bytes": "largest size",
        "largest_size_MBps": "rate there",
        "rate_factor": "peak rate over the rate at the largest size",
        "curves": "curves that fall",
        "libraries": "MPIs whose curves fall",
    },
)
def rate_falls(evidence: Evidence) -> Iterator[Finding]:
    """Rates that fall for good beyond a size, as where a cache or a buffer ends."""
    # One for each benchmark, series and placement: the worst of its curves.
    groups: dict[object, list[Fall]] = defaultdict(list)
    for sweep in evidence.curves:
        if fallen := fall(evidence, sweep):
            place = place_of(evidence.points[fallen.best])
            groups[sweep.benchmark, sweep.series, place].append(fallen)
    for falls in groups.values():
        yield _fall_finding(evidence, falls)


def _fall_finding(evidence: Evidence, falls: Sequence[Fall]) -> Finding:
    worst = max(falls, key=lambda one: one.less.median)
    less = worst.less
    points = evidence.points
    best, begin, last = (
        points[index] for index in (worst.best, worst.begin, worst.sweep.points[-1])
    )
    best_rate, last_rate = best.bandwidth_MBps or 0.0, last.bandwidth_MBps or 0.0
    # A buffer that is sent again stays in a cache, as a program's data need not: no advice of it
    # came true. Across nodes the fall is the network's.
    cached = best.nodes == 1 and evidence.may("split", best.benchmark)
    return Finding(
        severity="fact" if cached else "notice",
        text=f"{name_of(evidence, worst.best, without=['bytes'])} falls below {percent(HELD)} of "
        f"its peak from {format_bytes(begin.bytes)} on: {rate_text(best_rate)} at "
        f"{format_bytes(best.bytes)}, {rate_text(last_rate)} at {format_bytes(last.bytes)}, "
        f"{compared_text(less, 'less')}.{_cause(evidence, worst)}"
        f"{_everywhere(falls) or worst_of(falls, 'curves')}",
        effect=less.median,
        evidence={
            "best_size_bytes": float(best.bytes or 0),
            "best_MBps": best_rate,
            "falls_from_bytes": float(begin.bytes or 0),
            "largest_size_bytes": float(last.bytes or 0),
            "largest_size_MBps": last_rate,
            **less.evidence("rate_factor"),
            "curves": float(len(falls)),
            "libraries": float(len({one.sweep.mpi for one in falls})),
        },
        points=tuple(i for one in falls for i in (one.best, one.sweep.points[-1])),
    )


def _cause(evidence: Evidence, worst: Fall) -> str:
    if cache := cache_that_ends(evidence, worst):
        return f" Larger buffers no longer fit the {cache[0]} cache ({format_bytes(cache[1])})."
    return ""


def _everywhere(falls: Sequence[Fall]) -> str:
    libraries = len({one.sweep.mpi for one in falls})
    return f" {libraries} MPIs do so." if libraries > 1 else ""
