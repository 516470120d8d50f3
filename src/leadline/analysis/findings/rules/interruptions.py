"""Repetitions that something else on the machine interrupted."""

from collections.abc import Iterator

from leadline.analysis.compare.interference import interferers
from leadline.analysis.findings.advice import Advise
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.words import name_of, notice_of, place_of, whole_run
from leadline.core.units import count, format_seconds, percent, times
from leadline.model.summary import Advice, Finding, PointSummary

# Of all repetitions, and of those of one point.
_SMALL_OF_RUN, _SMALL_OF_POINT = 0.01, 0.05
_MEANING = {
    "preempted": "another process took a core in {share} of the repetitions",
    "migrated": "a rank moved to another core in {share} of the repetitions",
    "page_fault": "memory was not yet there in {share} of the repetitions",
    "late_start": "{share} of the repetitions started late and are left out",
}


@rule(
    "trust",
    cure=(
        "Stop the programs that `leadline check` names, or ask for exclusive nodes. Medians bear "
        "a few per cent, tails do not."
    ),
    evidence={
        "*_fraction": "repetitions that carry this flag: in the whole run, or at the worst figure",
        "*_repetitions": "number of repetitions that carry this flag",
    },
)
def disturbed(evidence: Evidence) -> Iterator[Finding]:
    """Repetitions during which something else used the processor or the memory."""
    total = sum(point.samples + point.excluded for point in evidence.points)
    total += sum(point.set_aside for point in evidence.missing)
    by_flag: dict[str, tuple[float, float, str]] = {}
    numbers: dict[str, float] = {}
    points: list[int] = []
    for flag, meaning in _MEANING.items():
        carried = sum(point.flags.get(flag, 0) for point in evidence.points)
        carried += sum(point.flags.get(flag, 0) for point in evidence.missing)
        share = {i: evidence.share(i, flag) for i in range(len(evidence.points))}
        affected = [index for index in share if share[index] > _SMALL_OF_POINT]
        if not total or not share or (not affected and carried / total <= _SMALL_OF_RUN):
            continue
        worst = max(share, key=lambda index: share[index])
        text = meaning.format(share=percent(carried / total))
        most = f" (most: {name_of(evidence, worst)}, {percent(share[worst])})"
        by_flag[flag] = (carried / total, share[worst], f"{text[:1].upper()}{text[1:]}{most}.")
        numbers |= {f"{flag}_fraction": carried / total, f"{flag}_repetitions": float(carried)}
        points += affected or [worst]
    if by_flag:
        flags = sorted(by_flag, key=lambda flag: -by_flag[flag][0])
        advice, command = _cure(evidence, flags)
        yield Finding(
            severity="notice",
            text=" ".join(by_flag[flag][2] for flag in flags[:2]),
            evidence=numbers | {"worst_fraction": max(one[1] for one in by_flag.values())},
            advice=advice,
            command=command,
            points=tuple(dict.fromkeys(points)),
        )


def _cure(evidence: Evidence, flags: list[str]) -> tuple[Advice | None, str | None]:
    if "migrated" in flags and not evidence.run.plan.bind:
        command = whole_run(evidence)
        return Advise.PIN(), command and command.replace(" --no-bind", "")
    programs = [one.name for one in interferers(evidence.run) if one.kind == "program"]
    if programs:
        return Advise.STOP(programs=" and ".join(programs[:2])), whole_run(evidence)
    if "page_fault" in flags:
        return Advise.MEMORY(), "leadline check"
    return None, None


# What a benchmark calls the time that was taken from its cores, in per cent of its own.
_STOLEN = "stolen_percent"
_MUCH_PERCENT = 0.1

# Only calls that last long enough show a hit: smaller shares of them are not reported.
_REPORTED = 0.001


@rule(
    "trust",
    evidence={
        "stolen_fraction": "time of the cores that the hypervisor took",
        "stolen_calls_fraction": "calls that were hit",
    },
)
def time_stolen(evidence: Evidence) -> Iterator[Finding]:
    """Time that the hypervisor gave to other virtual machines while the cores had work."""
    stolen = {index: point.metrics.get(_STOLEN, 0.0) for index, point in enumerate(evidence.points)}
    if group := [i for i, value in stolen.items() if value >= _MUCH_PERCENT]:
        worst = max(group, key=stolen.__getitem__)
        struck = evidence.share(worst, "stolen")
        hit = f" {percent(struck)} of the calls were hit."
        yield notice_of(
            group,
            f"The hypervisor took {percent(stolen[worst] / 100)} of the cores' time from "
            f"{name_of(evidence, worst)}.{hit if struck >= _REPORTED else ''}",
            {"stolen_fraction": stolen[worst] / 100, "stolen_calls_fraction": struck},
        )


_HEAVY = 2.0


@rule(
    "steadiness",
    cure=(
        "Find out with `leadline check` what shares the cores. Programs that synchronise often "
        "run at the speed of the slowest call."
    ),
    evidence={
        "p99_over_median": "99th percentile over median",
        "p99_s": "99th percentile",
        "median_s": "the figure",
        "max_s": "slowest call",
    },
    source="G. J. Hahn, W. Q. Meeker: Statistical Intervals, 1991 (intervals of quantiles)",
)
def heavy_tail(evidence: Evidence) -> Iterator[Finding]:
    """Calls of which the slowest 1 % take at least twice the median.

    Only where the 95 % interval of the 99th percentile lies above that: this takes 368 independent
    samples of a launch or more.
    """
    tails = {
        index: point.p99_s / point.median_s
        for index, point in enumerate(evidence.points)
        if point.p99_s is not None and point.median_s > 0 and _is_heavy(point)
    }
    if group := list(tails):
        worst = max(group, key=tails.__getitem__)
        point, ratio = evidence.points[worst], tails[worst]
        p99_s, max_s = ratio * point.median_s, point.max_s or 0.0
        yield notice_of(
            group,
            f"The slowest 1 % of {name_of(evidence, worst)} take at least "
            f"{format_seconds(p99_s)} (median {format_seconds(point.median_s)}, {times(ratio)}; "
            f"slowest {format_seconds(max_s)}).",
            {"p99_over_median": ratio, "p99_s": p99_s, "median_s": point.median_s, "max_s": max_s},
            advice=Advise.CORES(),
            command="leadline check",
        )


def _is_heavy(point: PointSummary) -> bool:
    """Tell whether the 99th percentile surely lies far above the median."""
    shape = point.shape
    return shape is not None and (shape.p99_low_s or 0.0) >= _HEAVY * point.median_s


@rule(
    "trust",
    cure=Advise.ONE_ON_A_CORE(),
    evidence={
        "figures": "figures with more processes than cores",
        "most_processes": "most processes of one figure",
    },
)
def oversubscribed(evidence: Evidence) -> Iterator[Finding]:
    """Figures of more processes than cores."""
    marked = [index for index, point in enumerate(evidence.points) if point.oversubscribed]
    if not marked:
        return
    places = ", ".join(dict.fromkeys(place_of(evidence.points[index]) for index in marked))
    yield Finding(
        severity="notice",
        text=f"{count(len(marked), 'figure')} (placement {places}) had more processes than "
        "cores. These times show the scheduler, not the interconnect.",
        evidence={
            "figures": float(len(marked)),
            "most_processes": float(max(evidence.points[index].processes for index in marked)),
        },
        advice=Advise.ONE_ON_A_CORE(),
        points=tuple(marked),
    )
