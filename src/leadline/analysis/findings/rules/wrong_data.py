"""Data that arrived wrong: the figures of such points mean nothing."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import name_of
from leadline.core.units import count
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = "Do not use that combination until the library delivers the right bytes."
EVIDENCE = {
    "wrong_bytes": "bytes that arrived wrong",
    "points": "points with wrong bytes, or figures of an import",
    "launches": "launches with wrong bytes",
}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield one problem for each benchmark and MPI that delivered a wrong byte.

    Of an import: whose data its own program found wrong.
    """
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
            advice="Try another version of the library, or another transport.",
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
            advice="Measure again with another version of the library.",
            points=tuple(group),
        )
