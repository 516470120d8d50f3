"""Answers: data that were wrong, or that nobody checked."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from leadline.analysis.findings.advice import Advise
from leadline.analysis.findings.contest import case_of
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.words import command, compared_text, name_of, same_job
from leadline.analysis.stats.comparison import Ratio, clearly_longer, time_ratio
from leadline.core.units import count
from leadline.model.description import COMPILER, FLAGS, NO_FLAGS, VARIANT
from leadline.model.summary import Finding, PointSummary


@rule(
    "trust",
    cure="Measure again: a launch ended before the check of its data.",
    evidence={"figures": "figures without a check in some launch"},
)
def unverified(evidence: Evidence) -> Iterator[Finding]:
    """Figures whose data were not checked."""
    # Of an import nobody knows; what its program found wrong is `wrong_data`.
    if evidence.run.imported:
        return
    group = [
        index
        for index, point in enumerate(evidence.points)
        if not point.verified and not _wrong(evidence, index)
    ]
    if group:
        yield Finding(
            severity="notice",
            text=f"The data of {count(len(group), 'figure')} were not checked in some launch "
            f"(first: {name_of(evidence, group[0])}).",
            evidence={"figures": float(len(group))},
            advice=Advise.AGAIN(),
            command=command(evidence, same_job(evidence, group, group[0])),
            points=tuple(group),
        )


def _wrong(evidence: Evidence, index: int) -> bool:
    return any(result.wrong_bytes or result.failed_trials for _, result in evidence.reports(index))


@rule(
    "trust",
    cure="Do not use that combination until the library delivers the right bytes.",
    evidence={
        "wrong_bytes": "bytes that arrived wrong",
        "points": "points with wrong bytes, or figures of an import",
        "launches": "launches with wrong bytes",
    },
)
def wrong_data(evidence: Evidence) -> Iterator[Finding]:
    """Data that arrived wrong: the figures of such points mean nothing."""
    # Of an import: whose data its own program found wrong.
    if evidence.run.imported:
        yield from _of_import(evidence)
    wrong: dict[tuple[str, str], list[tuple[int, int, int]]] = {}
    points = {point.index: point for point in evidence.run.points}
    for launch in evidence.run.launches:
        for result in launch.points:
            if result.wrong_bytes > 0 and result.point in points:
                point = points[result.point]
                case = (point.index, launch.launch, result.wrong_bytes)
                wrong.setdefault((point.benchmark, point.mpi), []).append(case)
    for (benchmark, mpi), cases in wrong.items():
        affected = sorted({point for point, _, _ in cases})
        launches = {launch for _, launch, _ in cases}
        total = sum(wrong_bytes for _, _, wrong_bytes in cases)
        yield Finding(
            severity="problem",
            text=f"{evidence.title(benchmark)} with {mpi} delivered {count(total, 'wrong byte')} "
            f"at {count(len(affected), 'point')} in {count(len(launches), 'launch')}. "
            "These figures do not count.",
            evidence={
                "wrong_bytes": float(total),
                "points": float(len(affected)),
                "launches": float(len(launches)),
            },
            advice=Advise.NOT_THIS(),
            points=tuple(i for point in affected for i in evidence.figures_of(points[point])),
        )


def _of_import(evidence: Evidence) -> Iterator[Finding]:
    wrong = [index for index, point in enumerate(evidence.points) if not point.verified]
    for group in evidence.groups(wrong):
        yield Finding(
            severity="problem",
            text=f"{name_of(evidence, group[0])}: the program that measured found wrong data. "
            f"{count(len(group), 'figure')} of this kind do not count.",
            evidence={"points": float(len(group))},
            advice=Advise.NOT_THIS(),
            points=tuple(group),
        )


_NAMED = 6


@rule(
    "choice",
    cure="Build without these flags what depends on these properties.",
    evidence={"figures": "wrong figures", "trials": "trials that fail"},
)
def wrong_answers(evidence: Evidence) -> Iterator[Finding]:
    """Wrong answers of a compiler's flags or of a library."""
    trials = {
        (benchmark.name, trial.name): trial.definition
        for benchmark in evidence.run.benchmarks
        for trial in benchmark.trials
    }
    failed: dict[tuple[str, str], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for index, point in enumerate(evidence.points):
        for trial in point.failed_trials:
            failed[point.benchmark, _format_build(point)][trial].append(index)
    for (benchmark, made_with), by_trial in failed.items():
        built = _variants(
            point
            for point in evidence.points
            if (point.benchmark, _format_build(point)) == (benchmark, made_with)
        )
        trials_text = "; ".join(
            f"{trial}{_name_variants(_variants(evidence.points[index] for index in found), built)}"
            for trial, found in by_trial.items()
        )
        points = tuple(dict.fromkeys(index for found in by_trial.values() for index in found))
        means = " ".join(
            f"{trial}: {definition}."
            for trial in by_trial
            if (definition := trials.get((benchmark, trial), "").rstrip("."))
        )
        yield Finding(
            severity="problem",
            text=f"{benchmark}{f' with {made_with}' if made_with else ''} fails "
            f"{count(len(by_trial), 'trial')}: {trials_text}. {means}".rstrip(),
            evidence={"figures": float(len(points)), "trials": float(len(by_trial))},
            advice=Advise.NOT_THIS(),
            points=points,
        )


def _format_build(point: PointSummary) -> str:
    values = [str(point.axes.get(name, "")) for name in (COMPILER, FLAGS)]
    return " ".join(value.replace("+-", " -") for value in values if value not in ("", NO_FLAGS))


def _variants(points: Iterable[PointSummary]) -> list[str]:
    names = (str(point.axes.get(VARIANT, "")) for point in points)
    return [name for name in dict.fromkeys(names) if name]


def _name_variants(failing: Sequence[str], built: Sequence[str]) -> str:
    if not failing or len(built) == 1:
        return f" ({failing[0]})" if failing else ""
    if len(failing) == len(built):
        return f" (all {len(built)} variants)"
    more = f" and {len(failing) - _NAMED} more" if len(failing) > _NAMED else ""
    return f" ({', '.join(failing[:_NAMED])}{more})"


class _Wrong(NamedTuple):
    wrong: int
    right: int
    ratio: Ratio


@rule(
    "choice",
    cure="Do not use this choice: it leaves out work that the answer needs.",
    evidence={
        "ratio": "time of the fastest right choice over the wrong one",
        "figures": "wrong figures",
    },
)
def fast_but_wrong(evidence: Evidence) -> Iterator[Finding]:
    """Choices that are fastest with wrong answers."""
    cases: dict[object, list[int]] = defaultdict(list)
    for index, point in enumerate(evidence.points):
        task = evidence.task(point)
        cases[point.benchmark, point.series, task, case_of(evidence, point)].append(index)
    groups: dict[object, list[_Wrong]] = defaultdict(list)
    for indices in cases.values():
        points = {index: evidence.points[index] for index in indices}
        right = [index for index, point in points.items() if point.verified]
        if not right:
            continue
        best = min(right, key=lambda index: points[index].median_s)
        for index in set(indices) - set(right):
            ratio = time_ratio(points[best], points[index])
            if ratio is not None and clearly_longer(ratio):
                key = (points[index].benchmark, points[index].series, points[index].mpi)
                choices = evidence.choices(points[index])
                groups[key, choices].append(_Wrong(index, best, ratio))
    for found in groups.values():
        yield _finding(evidence, found)


def _finding(evidence: Evidence, found: list[_Wrong]) -> Finding:
    worst = max(found, key=lambda one: one.ratio.median)
    trials = dict.fromkeys(t for one in found for t in evidence.points[one.wrong].failed_trials)
    fails = f" (it fails {', '.join(trials)})" if trials else ""
    return Finding(
        severity="problem",
        text=f"{name_of(evidence, worst.wrong)} is wrong{fails}. The fastest right choice, "
        f"{name_of(evidence, worst.right)}, is {compared_text(worst.ratio, 'slower')}.",
        effect=worst.ratio.median,
        evidence={**worst.ratio.evidence(), "figures": float(len(found))},
        advice=Advise.NOT_THIS(),
        points=tuple(index for one in found for index in (one.wrong, one.right)),
    )
