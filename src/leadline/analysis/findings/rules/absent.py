"""Points without a figure, and why."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from leadline.analysis.findings.advice import Advise
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.words import command_for, place_of, whole_run
from leadline.core.units import count, format_bytes
from leadline.model.imported import Import
from leadline.model.run import Launch, Run
from leadline.model.summary import Finding, MissingFigure


@rule(
    "trust",
    cure="Measure these points again on a quieter machine, or start after a barrier.",
    evidence={
        "points": "points without a figure",
        "repetitions_set_aside": "repetitions that were left out",
    },
)
def no_figure(evidence: Evidence) -> Iterator[Finding]:
    """Points without a figure, because every repetition was left out."""
    groups: dict[tuple[str, str], list[MissingFigure]] = defaultdict(list)
    for point in evidence.missing:
        if point.set_aside:
            groups[point.benchmark, point.mpi].append(point)
    every = [point for group in groups.values() for point in group]
    if every:
        first = every[0]
        job = groups[first.benchmark, first.mpi]
        size = "" if first.bytes is None else f", {format_bytes(first.bytes)}"
        late = any(point.flags.get("late_start") for point in job)
        options = {"start": "barrier"} if late else {}
        yield Finding(
            severity="problem",
            text=f"{count(len(every), 'point')} {'has' if len(every) == 1 else 'have'} no figure "
            f"(first: {evidence.title(first.benchmark)}{size} on {place_of(first)}): "
            f"{first.reason}.",
            evidence={
                "points": float(len(every)),
                "repetitions_set_aside": float(sum(point.set_aside for point in every)),
            },
            advice=Advise.AGAIN_FROM_BARRIER() if late else Advise.AGAIN(),
            command=command_for(evidence, job, **options),
        )


@rule(
    "trust",
    cure="Choose another library or placement, if the point matters.",
    evidence={"points_skipped": "points left out for this reason"},
)
def not_available(evidence: Evidence) -> Iterator[Finding]:
    """Points that cannot be measured here, with the reason."""
    points = {point.index: point for point in evidence.run.points}
    reasons: dict[tuple[str, str, str], set[int]] = defaultdict(set)
    for launch in evidence.run.launches:
        for skip in launch.skipped:
            point = points[skip.point]
            reasons[point.benchmark, point.mpi, skip.reason].add(skip.point)
    for (benchmark, mpi, reason), skipped in sorted(reasons.items()):
        yield Finding(
            severity="fact",
            text=f"{evidence.title(benchmark)} with {mpi}: {count(len(skipped), 'point')} not "
            f"measured, because {reason}.",
            evidence={"points_skipped": float(len(skipped))},
        )


_STOPPED = {
    "interrupted": "The run was interrupted",
    "timed out": "The time limit of the run was reached",
}

_UNKNOWN_HOST = re.compile(r"resolve hostname (\S+?):")


@rule(
    "trust",
    cure="Mend the cause that is named, then measure or import again.",
    evidence={
        "launches_failed": "launches that did not complete",
        "launches": "launches",
        "points_finished": "points with a result",
        "points_planned": "points of the plan",
        "lines": "lines that could not be read",
        "first_line": "number of the first such line",
        "figures": "figures that were read",
        "files": "files with this remark",
    },
)
def incomplete(evidence: Evidence) -> Iterator[Finding]:
    """Points that were asked for and not measured, or lines that could not be read."""
    run = evidence.run
    if run.imported:
        yield from _of_import(run.imported)
        return
    if run.outcome.state == "running":
        yield _of_running(run)
        return
    complete = run.outcome.state == "complete"
    # A launch that the budget cut is no failure of a complete run.
    usual = ("complete", "timed out") if complete else ("complete",)
    failed = [launch for launch in run.launches if launch.outcome.state not in usual]
    # What lacks a figure only because all of it was set aside is `no_figure`.
    set_aside = run.outcome.state == "incomplete" and any(p.set_aside for p in evidence.missing)
    if not failed and (complete or set_aside):
        return
    finished = {result.point for launch in run.launches for result in launch.points}
    missing = [point for point in evidence.missing if not (point.left_out or point.set_aside)]
    stopped = run.outcome.state in _STOPPED
    text = f"{_why(run, failed)}. {_kept(run, len(finished))}"
    advice = command = None
    if _spent_budget(run):
        text += f" {_larger_budget(run, len(finished))}"
    elif missing:
        advice = Advise.GO_ON() if stopped else Advise.MEND()
        command = _again(evidence, missing)
    yield Finding(
        severity="problem",
        text=text,
        evidence={
            "launches_failed": float(len(failed)),
            "launches": float(len(run.launches)),
            "points_finished": float(len(finished)),
            "points_planned": float(len(run.points)),
        },
        advice=advice,
        command=command,
    )


def _why(run: Run, failed: Sequence[Launch]) -> str:
    if _spent_budget(run):
        return f"The budget of {run.plan.budget_s:g} s was spent"
    if run.outcome.state in _STOPPED:
        return _STOPPED[run.outcome.state]
    reasons = Counter(launch.outcome.message or launch.outcome.state for launch in failed)
    if not reasons:
        return f"The run is {run.outcome.state}: {run.outcome.message or 'no reason is known'}"
    reason, number = reasons.most_common(1)[0]
    host = _UNKNOWN_HOST.search(reason)
    if host:
        return f"Host {host[1]} is unknown: check --hosts"
    if number == len(run.launches):
        who = "The launch" if number == 1 else f"All {number} launches"
        return f"{who} failed: {reason.rstrip('.')}"
    mpi = next(one.mpi for one in failed if (one.outcome.message or one.outcome.state) == reason)
    return f"{number} of {count(len(run.launches), 'launch')} failed with {mpi}: {reason}"


def _spent_budget(run: Run) -> bool:
    limit_s = run.plan.time_limit_s or math.inf
    return run.outcome.state == "timed out" and (run.plan.budget_s or math.inf) < limit_s


def _larger_budget(run: Run, finished: int) -> str:
    """Say what is needed to measure each point once, if the rest is like what was measured."""
    if not finished:
        return "The same command needs a larger --budget."
    if finished == len(run.points):
        return "The same command with a larger --budget makes all launches."
    each_s = (run.plan.budget_s or 0.0) / finished
    enough = math.ceil(each_s * len(run.points) / 10) * 10
    return f"The same command with --budget {enough} should measure each of them."


def _kept(run: Run, finished: int) -> str:
    if not finished:
        return "Nothing was measured."
    planned = len(run.points)
    was = "was" if finished == 1 else "were"
    if finished < planned:
        return f"{finished} of {count(planned, 'point')} {was} measured."
    kinds = {(point.mpi, point.placement, str(point.knobs)) for point in run.points}
    launches = (run.plan.launches or 0) * len(kinds)
    whole = sum(launch.outcome.state == "complete" for launch in run.launches)
    if launches <= whole:
        return "Each point was measured."
    return f"Each point was measured, in {whole} of {launches} complete launches."


def _again(evidence: Evidence, missing: Sequence[MissingFigure]) -> str:
    """Return the command that repeats the run, or of a plan that first measures what is missing."""
    first = [
        point
        for point in missing
        if (point.benchmark, point.mpi) == (missing[0].benchmark, missing[0].mpi)
    ]
    launches = evidence.run.plan.launches
    return whole_run(evidence) or command_for(evidence, first, launches=launches)


def _of_running(run: Run) -> Finding:
    finished = {result.point for launch in run.launches for result in launch.points}
    where = f"The run may still go on ({run.outcome.message})" if run.outcome.message else ""
    return Finding(
        severity="notice",
        text=f"{where or 'The run is still being measured'}: {len(finished)} of "
        f"{count(len(run.points), 'point')} finished so far.",
        evidence={
            "launches": float(len(run.launches)),
            "points_finished": float(len(finished)),
            "points_planned": float(len(run.points)),
        },
        advice=Advise.SHOW(),
        command=f"leadline show {run.run}",
    )


def _of_import(imported: Import) -> Iterator[Finding]:
    """Yield a notice where lines could not be read, a fact for what the files do not say."""
    damaged = [remark for remark in imported.remarks if remark.line and remark.kind == "lost"]
    if damaged:
        first = damaged[0]
        yield Finding(
            severity="notice",
            text=f"{count(len(damaged), 'line')} could not be read (first: {first.file}:"
            f"{first.line}: {first.text}). {count(len(imported.figures), 'figure')} could.",
            evidence={
                "lines": float(len(damaged)),
                "first_line": float(first.line),
                "figures": float(len(imported.figures)),
            },
            advice=Advise.LINES(),
        )
    for text, files in _of_whole_files(imported).items():
        yield Finding(
            severity="fact",
            text=f"{', '.join(files)}: {text}.",
            evidence={"files": float(len(files))},
        )


def _of_whole_files(imported: Import) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for remark in imported.remarks:
        if not remark.line:
            found.setdefault(remark.text.rstrip("."), []).append(remark.file)
    return found
