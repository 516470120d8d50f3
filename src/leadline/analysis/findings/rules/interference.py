"""Interference: other programs on the machine, and what they cost."""

import statistics
from collections.abc import Iterator

from leadline.analysis.compare.interference import interferers, launches_text, parties, watched
from leadline.analysis.findings.advice import Advise
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.interference_effects import (
    InterferenceEffect,
    Split,
    interference_effects,
)
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.words import command, name_of, ratio_text, whole_run
from leadline.analysis.stats.comparison import USEFUL_RATIO
from leadline.analysis.stats.ranks import launches_to_tell
from leadline.core.units import count, format_seconds, percent, rate_text, times
from leadline.model.run import Run
from leadline.model.summary import Finding

_CHANCE = 0.05

# Kernel threads and the system's own services take up to a few per cent.
_LOADS = (
    (
        "busy_fraction",
        0.1,
        "Other programs used {share} of the processors' time",
        "These are the figures of a shared machine.",
    ),
    (
        "stolen_fraction",
        0.05,
        "Other virtual machines took {share} of the processors' time",
        "No program on this machine can prevent that.",
    ),
)
_NAMED = 2


@rule(
    "trust",
    cure="Stop the programs named and measure again, or ask for exclusive nodes.",
    evidence={
        "busy_fraction": "processors' time that went to programs other than the ranks",
        "stolen_fraction": "processors' time that the hypervisor gave to other virtual machines",
        "launches": "launches above the limit",
    },
)
def busy_machine(evidence: Evidence) -> Iterator[Finding]:
    """Other programs, or other virtual machines, used the processors while the run lasted."""
    run = evidence.run
    for name, limit, meaning, doubt in _LOADS:
        share = run.load_during.get(name, 0.0)
        busy = {number: part for number, part in _by_launch(run, name).items() if part > limit}
        if share <= limit and not busy:
            continue
        when, shown, most = "", share, ""
        if share <= limit:
            shown, most = max(busy.values()), "up to "
            when = f" {launches_text(tuple(busy), len(watched(run)))}"
        who = _who(run) if name == "busy_fraction" else []
        of = len(watched(run))
        named = "; ".join(f"{words} {launches_text(numbers, of)}" for words, numbers in who)
        yield Finding(
            severity="notice",
            text=f"{meaning.format(share=most + percent(shown))}{when}"
            f"{f': {named}' if named else ''}. {doubt}",
            evidence={name: shown} | ({"launches": float(len(busy))} if busy else {}),
            # Nobody can end the kernel's threads, or another guest.
            advice=Advise.STOP(programs="these programs") if who else None,
            command=whole_run(evidence) if who else None,
        )


def _by_launch(run: Run, name: str) -> dict[int, float]:
    """Return the part of all processors' time that others used in each launch, where known."""
    found = {}
    for launch in run.launches:
        if company := launch.company:
            cores = company.cores
            busy = cores / company.processors if cores is not None and company.processors else None
            part = busy if name == "busy_fraction" else company.stolen_fraction
            if part is not None:
                found[launch.launch] = part
    return found


def _who(run: Run) -> list[tuple[str, tuple[int, ...]]]:
    return [(one.words, one.launches) for one in interferers(run) if one.kind == "program"][:_NAMED]


_LAUNCHES = 10

# A difference that few launches cannot prove is worth more launches from here on.
_LARGE = 1.25


@rule(
    "trust",
    cure="Measure more launches, or measure again when the other work has ended.",
    evidence={
        "with_ratio": "time with the other work over time without, all figures together",
        "p_value": "chance of such a difference without an effect, corrected for all tests",
        "least_p_value": "the smallest chance that so few launches can show",
        "launches": "launches that were watched",
        "launches_with": "launches with the other work",
        "companions": "other jobs and programs",
    },
    source="S. Holm: A Simple Sequentially Rejective Multiple Test Procedure, 1979",
)
def company(evidence: Evidence) -> Iterator[Finding]:
    """Other jobs and programs that ran during launches, with an effect that is not known.

    A launch with them is compared with one without by ranks, in all orders that chance can make.
    Where enough launches show no effect, nothing is said.
    """
    run = evidence.run
    found = interference_effects(evidence)
    unsure = [one for one in found if one.least_p_value > _CHANCE and one.typical.median >= _LARGE]
    if unsure:
        yield _unsure(evidence, max(unsure, key=lambda one: one.typical.median))
    apart = {one.party for one in found}
    rest = [party for party in parties(run) if party not in apart]
    if rest:
        of = len(watched(run))
        more = f", and {len(rest) - 1} more" if len(rest) > 1 else ""
        where = launches_text(rest[0].launches, of)
        yield Finding(
            severity="fact",
            text=f"{rest[0].text()} ran {where}{more}. The effect on the figures is unknown.",
            evidence={
                "launches": float(of),
                "companions": float(sum(len(party.members) for party in rest)),
            },
            advice=Advise.AGAIN_LATER(),
            command=whole_run(evidence),
        )


def _unsure(evidence: Evidence, one: InterferenceEffect) -> Finding:
    indices = tuple(split.figure for split in one.splits)
    needed = launches_to_tell(one.together, one.launches, _CHANCE)
    launches = count(one.together, "launch")
    return Finding(
        severity="fact",
        text=f"{evidence.title(one.benchmark)} was {times(one.typical.median)} slower in "
        f"{launches} with {one.party.text()}. {count(one.launches, 'launch')} are too few to be "
        "sure.",
        effect=one.typical.median,
        evidence={
            **one.typical.evidence("with_ratio"),
            "p_value": one.p_value,
            "least_p_value": one.least_p_value,
            "launches": float(one.launches),
            "launches_with": float(one.together),
        },
        advice=Advise.MORE_LAUNCHES(),
        command=command(evidence, indices, launches=max(_LAUNCHES, 2 * needed)),
        points=indices,
    )


def is_slower(one: InterferenceEffect) -> bool:
    """Tell whether figures took longer in company than chance explains, and enough to matter."""
    return one.p_value <= _CHANCE and one.typical.median >= USEFUL_RATIO


@rule(
    "steadiness",
    cure="Use the launches without the other work, and keep apart from it.",
    evidence={
        "slower_ratio": "time with the other work over time without, all figures together",
        "worst_with_s": "time with it of the figure that suffers most",
        "worst_without_s": "its time without",
        "p_value": "chance of such a difference without an effect, corrected for all tests",
        "launches": "launches that were compared",
        "launches_with": "launches with the other work",
        "at_once": "1 where these launches follow on each other",
    },
    source="S. Holm: A Simple Sequentially Rejective Multiple Test Procedure, 1979",
)
def slower_in_company(evidence: Evidence) -> Iterator[Finding]:
    """Launches that were slower while another job or program ran.

    Launches with it are compared with those without by ranks, in all orders that chance can make;
    the probability is corrected for all jobs, programs and benchmarks.
    """
    slower = [one for one in interference_effects(evidence) if is_slower(one)]
    for party in dict.fromkeys(one.party for one in slower):
        mine = [one for one in slower if one.party == party]
        worst = max(mine, key=lambda one: one.typical.median)
        yield _finding(evidence, worst, len(mine) - 1)


def _finding(evidence: Evidence, one: InterferenceEffect, others: int) -> Finding:
    worst = one.splits[0]
    more = f" So were {count(others, 'other benchmark')}." if others else ""
    where = launches_text(one.party.launches, len(watched(evidence.run)))
    stretch = " Something else may have changed at the same time." if one.at_once else ""
    indices = tuple(split.figure for split in one.splits)
    return Finding(
        severity="notice",
        text=f"{one.party.text()} ran {where}. {evidence.title(one.benchmark)} was "
        f"{ratio_text(one.typical)} slower meanwhile (most: {_range(evidence, worst)})."
        f"{more}{stretch}",
        effect=one.typical.median,
        evidence={
            **one.typical.evidence("slower_ratio"),
            "worst_with_s": statistics.median(worst.within),
            "worst_without_s": statistics.median(worst.without),
            "p_value": one.p_value,
            "launches": float(one.launches),
            "launches_with": float(one.together),
            "at_once": float(one.at_once),
        },
        advice=Advise.AGAIN_LATER(),
        command=command(evidence, indices, launches=max(10, one.launches)),
        points=indices,
    )


def _range(evidence: Evidence, split: Split) -> str:
    point = evidence.points[split.figure]
    sides = [statistics.median(seconds) for seconds in (split.within, split.without)]
    texts = [format_seconds(seconds) for seconds in sides]
    if point.bandwidth_MBps:
        texts = [rate_text(point.bandwidth_MBps * point.median_s / seconds) for seconds in sides]
    return f"{name_of(evidence, split.figure)}, {' against '.join(texts)}"
