"""What was asked for and is not there."""

from collections import Counter
from collections.abc import Iterator, Sequence

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import command_for
from leadline.core.units import count
from leadline.model.imported import Import
from leadline.model.run import Run
from leadline.model.summary import Finding, MissingFigure

TOPIC = "trust"
ADVICE = "Look at these lines, and import the whole output again."


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a problem when the run or one of its launches did not complete."""
    run = evidence.run
    if run.imported:
        yield from _of_import(run.imported)
        return
    if run.outcome.state == "running":
        yield _of_running(run)
        return
    failed = [launch for launch in run.launches if launch.outcome.state != "complete"]
    # What lacks a figure only because all of it was set aside is `no_figure`.
    set_aside = run.outcome.state == "incomplete" and any(p.set_aside for p in evidence.missing)
    if not failed and (run.outcome.state == "complete" or set_aside):
        return
    finished = {result.point for launch in run.launches for result in launch.points}
    missing = [point for point in evidence.missing if not (point.left_out or point.set_aside)]
    reasons = Counter(
        f"{launch.mpi} {launch.outcome.state}: {launch.outcome.message}".rstrip(": ")
        for launch in failed
    )
    message = f" ({run.outcome.message})" if run.outcome.message else ""
    told = "; ".join(f"{count(n, 'launch')} of {reason}" for reason, n in reasons.items())
    yield Finding(
        severity="problem",
        text=f"The run ended {run.outcome.state}{message}: {len(finished)} of "
        f"{count(len(run.points), 'point')} finished{f'; {told}' if told else ''}.",
        evidence={
            "launches_failed": float(len(failed)),
            "launches": float(len(run.launches)),
            "points_finished": float(len(finished)),
            "points_planned": float(len(run.points)),
        },
        advice=_advice(evidence, missing) if missing else None,
    )


def _of_running(run: Run) -> Finding:
    finished = {result.point for launch in run.launches for result in launch.points}
    planned = count(len(run.points), "point")
    state = "may still be measured" if run.outcome.message else "is still being measured"
    message = f" ({run.outcome.message})" if run.outcome.message else ""
    return Finding(
        severity="notice",
        text=f"The run {state}{message}: {len(finished)} of {planned} finished so far, in "
        f"{count(len(run.launches), 'launch')}.",
        evidence={
            "launches": float(len(run.launches)),
            "points_finished": float(len(finished)),
            "points_planned": float(len(run.points)),
        },
        advice=f"What else is said is of these alone: look again later, `leadline show {run.run}`.",
    )


def _advice(evidence: Evidence, missing: Sequence[MissingFigure]) -> str:
    benchmark, mpi = missing[0].benchmark, missing[0].mpi
    first = [point for point in missing if (point.benchmark, point.mpi) == (benchmark, mpi)]
    return (
        "What was finished is kept. Mend what the message names, then measure what is missing, "
        f"first `{command_for(evidence, first, mpi=mpi)}`."
    )


def _of_import(imported: Import) -> Iterator[Finding]:
    """Yield a notice where lines could not be read, a fact for what the files do not say."""
    damaged = [remark for remark in imported.remarks if remark.line]
    if damaged:
        first = damaged[0]
        yield Finding(
            severity="notice",
            text=f"{count(len(damaged), 'line')} could not be read, the first "
            f"{first.file}:{first.line}: {first.text}. What is sound is here: "
            f"{count(len(imported.figures), 'figure')}.",
            evidence={
                "lines": float(len(damaged)),
                "first_line": float(first.line),
                "figures": float(len(imported.figures)),
            },
            advice=ADVICE,
        )
    for text, files in _of_whole_files(imported).items():
        yield Finding(
            severity="fact",
            text=f"{', '.join(files)}: {text}.",
            evidence={"files": float(len(files))},
        )


def _of_whole_files(imported: Import) -> dict[str, list[str]]:
    """Return the remarks that are of no line, with their files."""
    found: dict[str, list[str]] = {}
    for remark in imported.remarks:
        if not remark.line:
            found.setdefault(remark.text.rstrip("."), []).append(remark.file)
    return found
