"""Of all ways to compute the same: which right one is the fastest, and where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from leadline.analyse.comparison import Ratio, time_ratio
from leadline.analyse.rates import Race, is_ready, races
from leadline.analyse.roofs import fraction_of_bound
from leadline.findings.evidence import Evidence
from leadline.findings.kinds import kind_of
from leadline.findings.words import number, percent, ratio_text
from leadline.model.summary import Finding, PointSummary


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
    text = f"{race.benchmark.name}{several}: of the right ways the fastest are {told}"
    numbers = {"ways": float(len(race.ways)), "sizes": float(len(winners))}
    fractions = [f for i in winners.values() if (f := fraction_of_bound(points[i])) is not None]
    if fractions:
        text += f", with {percent(min(fractions))} to {percent(max(fractions))} of the bound"
        numbers |= {"least_fraction": min(fractions), "largest_fraction": max(fractions)}
    libraries = dict(_against_libraries(race, points, winners))
    if libraries:
        most = max(libraries, key=lambda size: libraries[size].median)
        least = min(ratio.median for ratio in libraries.values())
        text += (
            f". The fastest library takes {number(least)} times as long at least, and at most "
            f"{ratio_text(libraries[most])} at {most:g} {race.size_axis}"
        )
        numbers |= {**libraries[most].evidence("library_ratio"), "library_least_ratio": least}
    return Finding(
        kind=kind_of(__name__),
        severity="fact",
        text=f"{text}.",
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
    stretches: list[list[float]] = []
    for before, size in zip([None, *every], every, strict=False):
        if size in sizes and before in sizes:
            stretches[-1].append(size)
        elif size in sizes:
            stretches.append([size])
    told = [
        f"{each[0]:g} to {each[-1]:g}" if len(each) > 1 else f"{each[0]:g}" for each in stretches
    ]
    return f"at {' and '.join(told)} {axis}"


def _against_libraries(
    race: Race, points: Sequence[PointSummary], winners: dict[float, int]
) -> Iterator[tuple[float, Ratio]]:
    """Yield by how much the best library that was there already is behind, at each size."""
    for size, winner in winners.items():
        ready = [
            figures[size]
            for name in race.right(points)
            if size in (figures := race.ways[name]) and is_ready(points[figures[size]])
        ]
        if ready and not is_ready(points[winner]):
            best = min(ready, key=lambda index: points[index].median_s)
            if ratio := time_ratio(points[best], points[winner]):
                yield size, ratio
