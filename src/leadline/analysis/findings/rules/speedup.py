"""Speed-up: where work gains from more processes, and where it stops to."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.scaling import Curve, curves_of_work, name_of_curve, series_of
from leadline.analysis.findings.words import name_of, span
from leadline.analysis.results.program import communication_fraction
from leadline.analysis.results.scaling import karp_flatt
from leadline.analysis.stats.comparison import strongest
from leadline.core.units import count, format_seconds, percent, times
from leadline.model.plan import Value
from leadline.model.summary import Finding

# Beyond this the parts fit where the whole did not, as in the caches; beyond the second the runs on
# fewer processes were disturbed.
_SUPERLINEAR, _IMPLAUSIBLE = 1.1, 2.0


@rule(
    "speed",
    evidence={
        "speed_up": "largest",
        "least_speed_up": "smallest",
        "efficiency_fraction": "largest",
        "least_efficiency_fraction": "smallest",
        "karp_flatt_fraction": "serial part by Karp and Flatt",
        "from_processes": "fewest",
        "to_processes": "most",
    },
)
def speedup(evidence: Evidence) -> Iterator[Finding]:
    """Speed-up of work that still gains on the most processes."""
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
    speeds = sorted(one.seconds[first] / one.seconds[last] for one in curves)
    share = [speed * first / last for speed in speeds]
    name = name_of_curve(evidence, curves[0])
    if len(curves) > 1:
        point = evidence.points[curves[0].points[first]]
        amounts = [axis for axis, _ in evidence.amounts(point)]
        name = name_of(evidence, curves[0].points[first], without=["place", *amounts])
    both = span(speeds)
    parts = f" in {count(len(curves), 'case')}" if len(curves) > 1 else ""
    efficient = percent(share[0]) + (f" to {percent(share[-1])}" if len(curves) > 1 else "")
    text = (
        f"{name} scales: {last} processes are {both} faster than {first}{parts}, "
        f"an efficiency of {efficient}."
    )
    if share[-1] > _IMPLAUSIBLE:
        text = (
            f"{name}: how it scales is unclear. {last} processes took {both} less time than {first}"
            f"{parts}, more than caches explain: measure again on a quiet machine."
        )
    elif share[-1] > _SUPERLINEAR:
        text += " Likely cause of more than 100 %: smaller parts fit the caches."
    return Finding(
        severity="fact",
        text=text,
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
        points=tuple(index for one in curves for index in one.points.values()),
    )


@rule(
    "speed",
    evidence={
        "stops_at_processes": "number beyond which more gain less than a tenth",
        "fastest_processes": "number with the shortest time",
        "fastest_s": "shortest time",
        "speed_up": "speed-up there",
        "slowdown_at_most": "time on the most processes over the shortest",
        "most_processes": "most",
        "karp_flatt_fraction": "serial part by Karp and Flatt",
        "curves": "curves that never gain",
    },
)
def speedup_stops(evidence: Evidence) -> Iterator[Finding]:
    """Number of processes from which on more of them gain less than a tenth."""
    series: dict[tuple[str, str], list[Curve]] = defaultdict(list)
    for curve in curves_of_work(evidence):
        series[series_of(evidence, curve)].append(curve)
    for curves in series.values():
        flat = [curve for curve in curves if curve.stops_at == curve.fewest]
        going = [curve for curve in curves if curve.stops_at == curve.most]
        for curve in curves:
            if curve not in flat and curve not in going:
                yield _of_stopped(evidence, curve, going)
        if flat:
            yield _of_flat(evidence, flat)


def _of_stopped(evidence: Evidence, curve: Curve, going: Sequence[Curve]) -> Finding:
    best, at, last = curve.fastest, curve.stops_at, curve.most
    seconds = curve.seconds
    gain = seconds[curve.fewest] / seconds[at]
    slower = seconds[last] / seconds[best]
    numbers = {
        "stops_at_processes": float(at),
        "fastest_processes": float(best),
        "fastest_s": seconds[best],
        "speed_up": gain,
        "slowdown_at_most": slower,
        "most_processes": float(last),
        "karp_flatt_fraction": karp_flatt(gain, at / curve.fewest),
    }
    share = communication_fraction(evidence.points[curve.points[last]])
    others = _others(evidence, curve, going)
    others += f" Communication is {percent(share)} of the time there." if share is not None else ""
    more = f"{last} processes are {times(slower)} slower" if slower > 1.05 else "more gain nothing"
    if best > at and slower <= 1.05:
        more = f"{best} processes take {format_seconds(seconds[best])}"
    return Finding(
        severity="notice",
        text=f"{name_of_curve(evidence, curve)} stops scaling at {at} processes: "
        f"{format_seconds(seconds[curve.fewest])} on {curve.fewest}, "
        f"{format_seconds(seconds[at])} on {at}; {more}.{others}",
        effect=gain,
        evidence=numbers,
        points=tuple(curve.points.values()),
    )


def _others(evidence: Evidence, curve: Curve, going: Sequence[Curve]) -> str:
    texts = [
        f"{name_of_curve(evidence, one)} scales to {one.most} processes "
        f"({format_seconds(one.seconds[one.most])})"
        for one in going
        if one.most > curve.stops_at and _is_near(evidence, curve, one)
    ]
    return f" {'; '.join(texts)}." if texts else ""


def _is_near(evidence: Evidence, curve: Curve, other: Curve) -> bool:
    """Whether two curves differ in one choice: in two, such as machine and library, none tells."""

    def chosen(of: Curve) -> dict[str, Value]:
        point = evidence.points[of.points[of.most]]
        return {**point.axes, "mpi": point.mpi}

    one, two = chosen(curve), chosen(other)
    return sum(one.get(name) != two.get(name) for name in one.keys() | two.keys()) <= 1


def _of_flat(evidence: Evidence, curves: Sequence[Curve]) -> Finding:
    curves_text = "; ".join(
        f"{name_of_curve(evidence, one)} ({format_seconds(one.seconds[one.fewest])} on "
        f"{one.fewest} processes, {format_seconds(one.seconds[one.most])} on {one.most})"
        for one in curves
    )
    fewest, most = curves[0].fewest, curves[0].most
    change = [curve.seconds[curve.fewest] / min(curve.seconds.values()) for curve in curves]
    return Finding(
        severity="notice",
        text=f"More processes gain nothing: {curves_text}.",
        effect=max(change),
        evidence={
            "stops_at_processes": float(fewest),
            "most_processes": float(most),
            "speed_up": max(change),
            "curves": float(len(curves)),
        },
        points=tuple(index for curve in curves for index in curve.points.values()),
    )
