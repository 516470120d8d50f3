"""Wrong answers of a compiler's flags or of a library."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from leadline.analysis.findings.evidence import Evidence
from leadline.core.units import count
from leadline.model.description import COMPILER, FLAGS, NO_FLAGS, VARIANT
from leadline.model.summary import Finding, PointSummary

TOPIC = "choice"
ADVICE = "Build without these flags what depends on these properties."
EVIDENCE = {
    "figures": "wrong figures",
    "trials": "trials that fail",
}

_NAMED = 6


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a problem for each benchmark, compiler and set of flags that fails a trial."""
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
        told = "; ".join(
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
            f"{count(len(by_trial), 'trial')}: {told}. {means}".rstrip(),
            evidence={"figures": float(len(points)), "trials": float(len(by_trial))},
            advice=ADVICE,
            points=points,
        )


def _format_build(point: PointSummary) -> str:
    values = [str(point.axes.get(name, "")) for name in (COMPILER, FLAGS)]
    return " ".join(value.replace("+-", " -") for value in values if value not in ("", NO_FLAGS))


def _variants(points: Iterable[PointSummary]) -> list[str]:
    names = (str(point.axes.get(VARIANT, "")) for point in points)
    return [name for name in dict.fromkeys(names) if name]


def _name_variants(failing: Sequence[str], built: Sequence[str]) -> str:
    """Return which variants fail, in brackets: all that were built, or their names."""
    if not failing or len(built) == 1:
        return f" ({failing[0]})" if failing else ""
    if len(failing) == len(built):
        return f" (all {len(built)} variants)"
    more = f" and {len(failing) - _NAMED} more" if len(failing) > _NAMED else ""
    return f" ({', '.join(failing[:_NAMED])}{more})"
