"""Algorithms and other ways to do the same: which is fastest, by size."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from leadline.analysis.findings.advice import Advise
from leadline.analysis.findings.contest import (
    Contest,
    Match,
    PairRatios,
    fastest_of,
    largest,
    matches_over,
    side_texts,
    ways,
)
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.rules.settings import NEIGHBOURS
from leadline.analysis.findings.words import (
    and_text,
    library_axis,
    name_of,
    span,
    stretches,
    sure_end,
    tuning,
)
from leadline.analysis.results.rates import Race, fraction_of_bound, is_ready, races
from leadline.analysis.stats.comparison import Ratio, strongest, time_ratio
from leadline.core.units import percent
from leadline.model.profile import LIBRARY
from leadline.model.summary import Finding, PointSummary


def _matches(evidence: Evidence) -> Iterator[Match]:
    for benchmark in evidence.run.benchmarks:
        for axis, indices in ways(evidence, benchmark):
            if axis.name not in NEIGHBOURS:
                yield from matches_over(evidence, axis, indices)


@rule(
    "choice",
    cure="Use the fastest choice; `leadline tune` and `leadline exec` do for unchanged programs.",
    evidence={
        "*": "sizes or cases at which the fastest choice wins and loses, with the largest ratios"
    },
    matches=_matches,
)
def variants_compared(evidence: Evidence, ratios: PairRatios) -> Iterator[Finding]:
    """Algorithms and other ways to do the same that are faster than the default one, by size."""
    # At each size the fastest choice speaks. Choices that only lose are no finding, but of an
    # import, of which none is the default: there they are a fact.
    # Of the other choices of one axis, series and MPI those that gain most.
    groups: dict[tuple[str, ...], list[list[Contest]]] = defaultdict(list)
    for match in _matches(evidence):
        if not (found := match.clear(ratios)):
            continue
        point = evidence.points[found[0].figures[0]]
        if any(one.faster for one in found):
            groups[point.benchmark, match.of, point.series, point.mpi].append(found)
        elif evidence.run.imported:
            yield _slower(evidence, match.of, found)
    for (_, axis, *_), alike in groups.items():
        most = max(alike, key=lambda found: largest(fastest_of(found).faster).ratio.median)
        yield _variant_finding(evidence, axis, most)


def _variant_finding(evidence: Evidence, axis: str, found: Sequence[Contest]) -> Finding:
    contest = fastest_of(found)
    winners = contest.winners(found)
    name = name_of(evidence, contest.faster[0].winner, without=[axis, *contest.compared_axes])
    sides = side_texts(evidence, winners[0])
    if len(winners) > 1:
        sides = (contest.winners_text(winners), sides[1])
    known = library_axis(evidence, evidence.points[contest.figures[0]].benchmark)
    of_library = known is not None and known.name == axis
    command = tuning(evidence, contest.figures[0]) if contest.default == LIBRARY else None
    other = "the library" if of_library and contest.default == LIBRARY else sides[1]
    advice = None
    if command:
        advice = Advise.TUNE()
    elif of_library or not evidence.run.imported:
        advice = Advise.USE(choice=sides[0] if len(winners) == 1 else "the fastest one")
    return contest.finding(
        "notice",
        f"{name}: {contest.sentences(sides[0], other)}",
        advice,
        command=command or contest.proof(evidence),
        gain=contest.gain,
    )


def _slower(evidence: Evidence, axis: str, found: Sequence[Contest]) -> Finding:
    worst = max(found, key=lambda one: largest(one.slower).ratio.median)
    name = name_of(evidence, worst.figures[0], without=[axis, *worst.compared_axes])
    ratios = [(one.choice, [sure_end(win.ratio) for win in one.slower]) for one in found]
    than = and_text([f"{choice} ({span(each)})" for choice, each in ratios])
    return Finding(
        severity="fact",
        text=f"{name}: {worst.default.replace('_', ' ')} is faster than {than.replace('_', ' ')}.",
        effect=worst.effect,
        evidence=worst.numbers() | {"choices_slower": float(len(found))},
        points=tuple(dict.fromkeys(index for one in found for index in one.figures)),
    )


@rule(
    "choice",
    cure="Use the fastest variants; far below the limit there is something left to gain.",
    evidence={
        "ways": "variants",
        "sizes": "sizes",
        "least_fraction": "smallest part of the hardware limit",
        "largest_fraction": "largest part",
        "library_ratio": "time of the fastest library over the fastest source, the largest",
        "library_least_ratio": "the same, the smallest",
    },
)
def best_variant(evidence: Evidence) -> Iterator[Finding]:
    """Fastest right variant of a computation, by size, and how near the hardware limit."""
    for race in races(evidence.run, evidence.points):
        if len(race.right(evidence.points)) > 1:
            yield _race_finding(race, evidence.points)


def _race_finding(race: Race, points: Sequence[PointSummary]) -> Finding:
    leaders = race.leaders(points)
    winners = {size: race.ways[name][size] for size, name in leaders.items()}
    fastest = ", ".join(
        f"{name} {_at(sizes, race.sizes, race.size_axis)}"
        for name, sizes in _by_way(leaders).items()
    )
    several = f" with {race.mpi} on {race.place}" if race.mpi else f" on {race.place}"
    text = f"{race.benchmark.title or race.benchmark.name}{several}: fastest are {fastest}"
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
    for size in race.sizes:
        there = [race.ways[name][size] for name in race.right(points) if size in race.ways[name]]
        there.sort(key=lambda index: points[index].median_s)
        ready = next((points[index] for index in there if is_ready(points[index])), None)
        source = next((points[index] for index in there if not is_ready(points[index])), None)
        if ready and source and (ratio := time_ratio(ready, source)):
            yield size, ratio
