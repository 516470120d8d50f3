"""Ways to compute the same, by their rate against the size, below the roofs that bound them."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from leadline.analysis.figures.rates import Race, is_ready, races
from leadline.analysis.figures.roofs import fraction_of_bound
from leadline.core.units import format_bytes
from leadline.model.run import Run
from leadline.model.summary import Analysis, PointSummary
from leadline.output.html.panels import MAXIMUM_CURVES, Panel, Row, definition, doubt

# Of the ways with a wrong answer, so many of the fastest are drawn.
_WRONG = 2


def rate_panels(run: Run, analysis: Analysis) -> tuple[Panel, ...]:
    """Return a panel for each race with several sizes: at most as many ways as have a colour."""
    points = analysis.points
    caches = run.machine.get("caches_bytes")
    return tuple(
        _panel(run, f"rates-{number}", race, points, caches if isinstance(caches, dict) else {})
        for number, race in enumerate(races(run, points))
        if len(race.sizes) > 1
    )


def _panel(
    run: Run,
    identifier: str,
    race: Race,
    points: Sequence[PointSummary],
    caches: Mapping[str, int],
) -> Panel:
    drawn = chosen_ways(race, points)
    part = "" if len(drawn) == len(race.ways) else f", {len(drawn)} of {len(race.ways)} ways"
    return Panel(
        identifier=identifier,
        benchmark=race.benchmark.name,
        series=race.series,
        placement=race.place,
        title=f"rate with {race.mpi} on {race.place}{part}",
        definition=definition(run, race.benchmark.name, race.series),
        curves=tuple(drawn),
        figures=(),
        points=(),
        launches=(),
        switches=(),
        rates=tuple(
            _row(way, race.size_axis, size, points[index])
            for way in drawn
            for size, index in sorted(race.ways[way].items())
        ),
        roofs=tuple(_roof_rows(race, points)),
        levels=tuple(_level_rows(race, caches)),
    )


def chosen_ways(race: Race, points: Sequence[PointSummary]) -> list[str]:
    """Return the ways to draw: the leaders, the best library, the fastest wrong ones, the next."""

    def rate(way: str) -> float:
        rates = [points[index].flops_per_s or 0.0 for index in race.ways[way].values()]
        return statistics.geometric_mean(rates)

    def ready(way: str) -> bool:
        return any(is_ready(points[index]) for index in race.ways[way].values())

    right = sorted(race.right(points), key=rate, reverse=True)
    wrong = sorted(race.ways.keys() - set(right), key=rate, reverse=True)
    # Of each variant its best compiler and flags come before the others.
    variants = {way.partition(" ")[0]: way for way in reversed(right)}
    order = [
        *dict.fromkeys(race.leaders(points).values()),
        *[way for way in right if ready(way)][:2],
        *wrong[:_WRONG],
        # The slowest shows what there is to gain.
        *right[-1:],
        *sorted(variants.values(), key=rate, reverse=True),
        *right,
    ]
    return list(dict.fromkeys(order))[:MAXIMUM_CURVES]


def _row(way: str, axis: str, size: float, point: PointSummary) -> Row:
    low, high = point.interval or (None, None)
    fraction = fraction_of_bound(point)

    def rate(seconds: float | None) -> float | None:
        if not seconds or point.flops_per_s is None:
            return None
        return point.flops_per_s * point.median_s / seconds / 1e6

    wrong = ", ".join(point.failed_trials)
    return {
        "curve": way,
        "axis": axis,
        "amount": size,
        "Mflops": rate(point.median_s),
        "low_Mflops": rate(high),
        "high_Mflops": rate(low),
        "percent": None if fraction is None else 100 * fraction,
        "mark": f"wrong: {wrong}" if wrong else doubt(point),
        "wrong": not point.verified,
    }


def _roof_rows(race: Race, points: Sequence[PointSummary]) -> list[Row]:
    """Return the rate that each roof allows, by size: one line a roof's benchmark."""
    found: dict[tuple[str, float], float] = {}
    for figures in race.ways.values():
        for size, index in figures.items():
            point = points[index]
            if point.bound and point.flops_per_s:
                rate = point.flops_per_s * point.median_s / point.bound.seconds / 1e6
                found[points[point.bound.figure].benchmark, size] = rate
    ordered = sorted(found.items(), key=lambda item: item[0][1])
    return [{"roof": "bound", "by": name, "amount": size, "Mflops": rate}
            for (name, size), rate in ordered]  # fmt: skip


def _level_rows(race: Race, caches: Mapping[str, int]) -> list[Row]:
    """Return the sizes at which the data fill each cache, where these are among the sizes."""
    if not race.bytes_each:
        return []
    first, last = race.sizes[0], race.sizes[-1]
    return [
        {"level": f"{name.removesuffix('d')} {format_bytes(size)}", "amount": amount}
        for name, size in caches.items()
        if not name.endswith("i") and first <= (amount := size / race.bytes_each) <= last
    ]
