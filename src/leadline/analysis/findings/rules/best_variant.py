"""Fastest right variant of a computation, by size, and how near the hardware limit."""

from collections.abc import Iterator, Mapping, Sequence

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import span, stretches
from leadline.analysis.results.rates import Race, fraction_of_bound, is_ready, races
from leadline.analysis.stats.comparison import Ratio, strongest, time_ratio
from leadline.core.units import percent
from leadline.model.summary import Finding, PointSummary

TOPIC = "choice"
ADVICE = "Use the fastest variants; far below the limit there is something left to gain."
EVIDENCE = {
    "ways": "variants",
    "sizes": "sizes",
    "least_fraction": "smallest part of the hardware limit",
    "largest_fraction": "largest part",
    "library_ratio": "time of the fastest library over the fastest source, the largest",
    "library_least_ratio": "the same, the smallest",
}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a fact for each benchmark, library and placement in which several right ways ran."""
    for race in races(evidence.run, evidence.points):
        if len(race.right(evidence.points)) > 1:
            yield _finding(race, evidence.points)


def _finding(race: Race, points: Sequence[PointSummary]) -> Finding:
    leaders = race.leaders(points)
    winners = {size: race.ways[name][size] for size, name in leaders.items()}
    told = ", ".join(
        f"{name} {_at(sizes, race.sizes, race.size_axis)}"
        for name, sizes in _by_way(leaders).items()
    )
    several = f" with {race.mpi} on {race.place}" if race.mpi else f" on {race.place}"
    text = f"{race.benchmark.title or race.benchmark.name}{several}: fastest are {told}"
    numbers = {"ways": float(len(race.ways)), "sizes": float(len(winners))}
    fractions = [f for i in winners.values() if (f := fraction_of_bound(points[i])) is not None]
    if fractions:
        ends = dict.fromkeys(percent(end) for end in (min(fractions), max(fractions)))
        text += f", {' to '.join(ends)} of the hardware limit"
        numbers |= {"least_fraction": min(fractions), "largest_fraction": max(fractions)}
    libraries = dict(_against_libraries(race, points))
    if libraries:
        most = max(libraries, key=lambda size: libraries[size].median)
        least = min(libraries, key=lambda size: libraries[size].median)
        spread = span([libraries[size].median for size in (least, most)])
        text += f". The fastest library takes {spread} the time of the fastest source"
        if least != most:
            text += f", most at {most:g} {race.size_axis}"
        numbers |= libraries[most].evidence("library_ratio")
        numbers |= libraries[least].evidence("library_least_ratio")
    return Finding(
        severity="fact",
        text=f"{text}.",
        effect=strongest(ratio.median for ratio in libraries.values()),
        evidence=numbers,
        points=tuple(dict.fromkeys(winners.values())),
    )


def _by_way(leaders: Mapping[float, str]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for size, name in leaders.items():
        found.setdefault(name, []).append(size)
    return found


def _at(sizes: Sequence[float], every: Sequence[float], axis: str) -> str:
    """Return sizes in words, with neighbours among `every` joined.

    >>> _at([100, 200, 1000], [100, 200, 500, 1000], "elements")
    'at 100 to 200 and 1000 elements'
    """
    return f"at {' and '.join(stretches(every, sizes, '{:g}'.format))} {axis}"


def _against_libraries(race: Race, points: Sequence[PointSummary]) -> Iterator[tuple[float, Ratio]]:
    """Yield how long the best library takes against the best source, at each size."""
    for size in race.sizes:
        there = [race.ways[name][size] for name in race.right(points) if size in race.ways[name]]
        there.sort(key=lambda index: points[index].median_s)
        ready = next((points[index] for index in there if is_ready(points[index])), None)
        own = next((points[index] for index in there if not is_ready(points[index])), None)
        if ready and own and (ratio := time_ratio(ready, own)):
            yield size, ratio
