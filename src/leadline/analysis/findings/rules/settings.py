"""Values of knobs, libraries and neighbours, each against the usual one."""

from collections.abc import Iterator, Sequence

from leadline.analysis.findings.advice import Advise
from leadline.analysis.findings.contest import (
    Case,
    Contest,
    Curve,
    Match,
    PairRatios,
    case_of,
    curves_by,
    fastest_of,
    matches_over,
)
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.words import library_axis, name_of
from leadline.core.units import count, percent, rate_text
from leadline.measure.knobs.knob import DEFAULT
from leadline.measure.knobs.known import known_break
from leadline.measure.knobs.values import same_value
from leadline.model.interference import BESIDE
from leadline.model.plan import Value
from leadline.model.profile import LIBRARY
from leadline.model.run import Launch
from leadline.model.summary import Advice, Finding, PointSummary


def _knob_matches(evidence: Evidence) -> Iterator[Match]:
    """Yield each knob with its values, `default` or the first of them against the others."""
    # Different values never share a launch: one launch of each shows chance alone.
    indices = [i for i, point in enumerate(evidence.points) if point.launches > 1]
    for knob in dict.fromkeys(name for i in indices for name in evidence.points[i].knobs):
        if knob == BESIDE:  # nobody sets it to gain something: `impact_factor` tells what it costs
            continue
        having = [i for i in indices if knob in evidence.points[i].knobs]
        for curves in _curves_of_knob(evidence, knob, having):
            yield Match(curves, DEFAULT if DEFAULT in curves else next(iter(curves)), knob)


def _curves_of_knob(
    evidence: Evidence, knob: str, indices: Sequence[int]
) -> Iterator[dict[str, Curve]]:
    def rest(point: PointSummary) -> object:
        choices = evidence.choices(point, without=[knob])
        return (point.benchmark, choices, point.mpi, point.series)

    return curves_by(evidence, indices, lambda point: point.knobs[knob], rest)


@rule(
    "choice",
    cure="Set the value that is faster at the sizes that your program sends.",
    evidence={"*": "sizes or cases at which each value is faster, with the largest ratio of each"},
    matches=_knob_matches,
)
def knobs_compared(evidence: Evidence, ratios: PairRatios) -> Iterator[Finding]:
    """Values of a knob, such as the eager limit: which is faster, and where."""
    for match in _knob_matches(evidence):
        for contest in match.clear(ratios):
            chosen = {"knob": match.of, "value": contest.choice}
            mpi = evidence.points[contest.figures[0]].mpi
            broken = known_break(mpi, match.of, str(contest.choice))
            advice = Advise.BREAKS(**chosen, calls=broken) if broken else Advise.SET(**chosen)
            proof = contest.proof(evidence) if contest.faster else None
            yield _compared(evidence, contest, match.of, f"{match.of}=", advice, proof)


def _compared(
    evidence: Evidence,
    contest: Contest,
    what: str,
    label: str,
    advice: Advice | None = None,
    cure: str | None = None,
) -> Finding:
    """Return the finding of a contest of `what`, whose values stand behind the `label`."""
    name = name_of(evidence, contest.figures[0], without=[what, *contest.compared_axes])
    text = contest.sentences(f"{label}{contest.choice}", f"{label}{contest.default}")
    if not contest.faster:
        return contest.finding("fact", f"{name}: {text}")
    return contest.finding("notice", f"{name}: {text}", advice, command=cure, gain=contest.gain)


@rule(
    "trust",
    cure=(
        "Look for a variable or file that sets another value, or a version without the variable: "
        "`leadline mpi knobs NAME`."
    ),
    evidence={"launches": "launches in which the library ignored the value"},
)
def knob_not_taken(evidence: Evidence) -> Iterator[Finding]:
    """Knobs whose value the library ignored."""
    found: dict[tuple[str, str, str, str | None], list[Launch]] = {}
    for launch in evidence.run.launches:
        # A launch that never began to measure has no recorded controls; only MPI reports them.
        if not launch.library or launch.api != "mpi":
            continue
        knobs = ",".join(f"{name}={value}" for name, value in launch.knobs.items())
        for name, wanted in launch.asked_controls.items():
            has = launch.controls.get(name)
            if has is None or not same_value(wanted, has):
                found.setdefault((launch.mpi, knobs, name, has), []).append(launch)
    for (mpi, knobs, name, has), launches in found.items():
        wanted = launches[0].asked_controls[name]
        what = f"{name} is {has}, not {wanted}" if has is not None else f"{name} is unknown to it"
        points = [
            index
            for index, point in enumerate(evidence.points)
            if point.mpi == mpi and point.knobs == launches[0].knobs
        ]
        yield Finding(
            severity="problem",
            text=f"{mpi} ignored {knobs}: {what}. The figures of "
            f"{count(len(launches), 'launch')} do not show this setting.",
            evidence={"launches": float(len(launches))},
            advice=Advise.VARIABLE(),
            command=f"leadline mpi knobs --mpi {mpi} {name}",
            points=tuple(points),
        )


def _library_matches(evidence: Evidence) -> Iterator[Match]:
    """Yield the run's first MPI against the others."""

    def rest(point: PointSummary) -> object:
        return (point.benchmark, point.series, evidence.task(point))

    def case(point: PointSummary) -> Case:
        known = case_of(evidence, point)
        return known._replace(amounts=(*known.amounts, *_chosen(evidence, point)))

    order = dict.fromkeys(point.mpi for point in evidence.run.points)
    # Different programs never share a launch: one launch of each shows chance alone. Of figures
    # without an interval a larger difference is asked for.
    indices = [i for i, p in enumerate(evidence.points) if p.launches > 1 or p.interval is None]
    indices = _as_shipped(evidence, [i for i in indices if _built_in(evidence, evidence.points[i])])
    for curves in curves_by(evidence, indices, lambda point: point.mpi, rest, case):
        default = next(mpi for mpi in (*order, *curves) if mpi in curves)
        yield Match(curves, default)


@rule(
    "choice",
    cure="Use the library that is faster at the sizes that your program sends.",
    evidence={
        "*": "sizes or cases at which each library is faster, with the largest ratio of each"
    },
    matches=_library_matches,
)
def libraries_compared(evidence: Evidence, ratios: PairRatios) -> Iterator[Finding]:
    """Libraries that a program may be built with: which one is faster, and where."""
    # One answer for each task: the fastest library of each case. A machine has one default, so that
    # it is advised only where a single library is faster somewhere and slower nowhere.
    every = [match.clear(ratios) for match in _library_matches(evidence)]
    contests = [contest for found in every for contest in found]
    choices = {contest.choice for contest in contests if contest.faster}
    lost = any(contest.slower for contest in contests if contest.choice in choices)
    foreign = evidence.run.imported or evidence.run.platform
    command = None
    if len(choices) == 1 and not (lost or foreign):
        command = f"leadline mpi default {min(choices)}"
    for found in every:
        faster = [contest for contest in found if contest.faster]
        for contest in found:
            if not contest.faster:
                yield _compared(evidence, contest, "mpi", "")
        if faster:
            best = fastest_of(faster)
            winners = best.winners(faster)
            where = "this matters" if best.cases[0].size < 0 else "these sizes matter"
            advice = Advise.USE_LIBRARY(library=best.choice, where=where)
            if len(winners) > 1:
                best = best._replace(choice=best.winners_text(winners))
                advice = Advise.USE_EACH()
            yield _compared(evidence, best, "mpi", "", advice, command)


def _built_in(evidence: Evidence, point: PointSummary) -> bool:
    axis = library_axis(evidence, point.benchmark)
    return axis is None or str(point.axes.get(axis.name, LIBRARY)) == LIBRARY


def _chosen(evidence: Evidence, point: PointSummary) -> Iterator[tuple[str, Value]]:
    amounts = dict(evidence.amounts(point))
    named = {**point.axes, **point.conditions}
    for name in sorted(evidence.varying.get(point.benchmark, ())):
        axis = library_axis(evidence, point.benchmark)
        if name in named and name not in amounts and not (axis and axis.name == name):
            yield name, named[name]


def _as_shipped(evidence: Evidence, indices: list[int]) -> list[int]:
    plain = {
        evidence.points[i].benchmark
        for i in indices
        if all(value == DEFAULT for value in evidence.points[i].knobs.values())
    }
    return [
        i
        for i in indices
        if evidence.points[i].benchmark not in plain
        or all(value == DEFAULT for value in evidence.points[i].knobs.values())
    ]


# Axes of which a value says what runs next to a job, or how far off it is kept.
NEIGHBOURS = frozenset({"neighbours", "congestor", "spacer"})


def _neighbour_matches(evidence: Evidence) -> Iterator[Match]:
    for benchmark in evidence.run.benchmarks:
        indices = [i for i, p in enumerate(evidence.points) if p.benchmark == benchmark.name]
        for axis in benchmark.axes:
            if axis.name in NEIGHBOURS:
                yield from matches_over(evidence, axis, indices)


@rule(
    "steadiness",
    cure="Report the neighbours with each result.",
    evidence={
        "lost_fraction": "part of the rate that neighbours cost",
        "with_MBps": "rate with neighbours",
        "without_MBps": "rate without",
        "*": "sizes or cases at which each state is faster, and the largest ratio of each",
    },
    matches=_neighbour_matches,
)
def neighbours_disturb(evidence: Evidence, ratios: PairRatios) -> Iterator[Finding]:
    """Figures with and without other jobs on the machine, or with more and less distance to
    them.
    """
    for match in _neighbour_matches(evidence):
        for contest in match.clear(ratios):
            yield _neighbour_finding(evidence, match.of, contest)


def _neighbour_finding(evidence: Evidence, axis: str, contest: Contest) -> Finding:
    quieter, noisier, wins = contest.choice, contest.default, contest.faster
    if len(contest.slower) > len(contest.faster):
        quieter, noisier, wins = contest.default, contest.choice, contest.slower
    name = name_of(evidence, contest.figures[0], without=[axis, *contest.compared_axes])
    best = max(wins, key=lambda win: win.ratio.median)
    winner, loser = evidence.points[best.winner], evidence.points[best.loser]
    rates = ""
    numbers = {"lost_fraction": 1 - 1 / best.ratio.median}
    if winner.bandwidth_MBps and loser.bandwidth_MBps:
        rates = f": {rate_text(loser.bandwidth_MBps)} against {rate_text(winner.bandwidth_MBps)}"
        numbers |= {"with_MBps": loser.bandwidth_MBps, "without_MBps": winner.bandwidth_MBps}
    return contest.finding(
        "notice",
        f"Neighbours cost {name} up to {percent(numbers['lost_fraction'])} of the rate{rates}, "
        f"{best.case.text} ({axis}={noisier} against {axis}={quieter}).",
        more=numbers,
    )
