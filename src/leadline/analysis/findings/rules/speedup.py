"""Speed-up of work that still gains on the most processes."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.scaling import Curve, curves_of_work, name_of_curve, series_of
from leadline.analysis.findings.words import name_of, span
from leadline.analysis.results.scaling import efficiency, karp_flatt, speed_up
from leadline.analysis.stats.comparison import strongest
from leadline.core.units import count, percent
from leadline.model.summary import Finding

TOPIC = "speed"
ADVICE = "Measure on more processes to find where the speed-up ends."
EVIDENCE = {
    "speed_up": "largest",
    "least_speed_up": "smallest",
    "efficiency_fraction": "largest",
    "least_efficiency_fraction": "smallest",
    "karp_flatt_fraction": "serial part by Karp and Flatt",
    "from_processes": "fewest",
    "to_processes": "most",
}

# Beyond this the parts fit where the whole did not, as in the caches.
_SUPERLINEAR = 1.1


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a fact for each series, MPI and choice that still gains on the most processes."""
    groups: dict[object, list[Curve]] = defaultdict(list)
    for curve in curves_of_work(evidence):
        if curve.stops_at == curve.most:
            point = evidence.points[curve.points[curve.fewest]]
            key = (*series_of(evidence, curve), point.mpi, evidence.choices(point))
            groups[key, curve.fewest, curve.most].append(curve)
    for curves in groups.values():
        yield _finding(evidence, curves)


def _finding(evidence: Evidence, curves: Sequence[Curve]) -> Finding:
    first, last = curves[0].fewest, curves[0].most
    speeds = sorted(speed_up(one.seconds[first], one.seconds[last]) for one in curves)
    share = [efficiency(speed, first, last) for speed in speeds]
    name = name_of_curve(evidence, curves[0])
    if len(curves) > 1:
        point = evidence.points[curves[0].points[first]]
        amounts = [axis for axis, _ in evidence.amounts(point)]
        name = name_of(evidence, curves[0].points[first], without=["place", *amounts])
    both = span(speeds)
    parts = f" in {count(len(curves), 'case')}" if len(curves) > 1 else ""
    efficient = percent(share[0]) + (f" to {percent(share[-1])}" if len(curves) > 1 else "")
    more = (
        " Likely cause of more than 100 %: smaller parts fit the caches."
        if share[-1] > _SUPERLINEAR
        else ""
    )
    return Finding(
        severity="fact",
        text=f"{name} scales: {last} processes are {both} faster than {first}{parts}, "
        f"an efficiency of {efficient}.{more}",
        effect=strongest(speeds),
        evidence={
            "speed_up": speeds[-1],
            "least_speed_up": speeds[0],
            "efficiency_fraction": share[-1],
            "least_efficiency_fraction": share[0],
            "karp_flatt_fraction": karp_flatt(speeds[0], last / first),
            "from_processes": float(first),
            "to_processes": float(last),
        },
        advice=ADVICE,
        points=tuple(index for one in curves for index in one.points.values()),
    )
