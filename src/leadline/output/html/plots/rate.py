"""Floating-point rate against size, below what bounds it."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from leadline.analysis.results.rates import Race, fraction_of_bound, is_ready, races
from leadline.core.units import format_bytes
from leadline.model.summary import PointSummary
from leadline.output.html import vegalite as vl
from leadline.output.html.panels import MAXIMUM_CURVES, Panel, Row, definition, doubt
from leadline.output.html.plot import Plot
from leadline.output.html.report_data import ReportData

# Of the ways with a wrong answer, so many of the fastest are drawn.
_WRONG = 2


def rate_panels(data: ReportData) -> Iterator[Panel]:
    """Yield a panel for each race with several sizes: at most as many ways as have a colour."""
    points = data.analysis.points
    caches = data.run.machine.get("caches_bytes")
    for number, race in enumerate(races(data.run, points)):
        if len(race.sizes) < 2:
            continue
        drawn = chosen_ways(race, points)
        part = "" if len(drawn) == len(race.ways) else f", {len(drawn)} of {len(race.ways)} ways"
        rows = {
            "rates": [
                _row(way, race.size_axis, size, points[index])
                for way in drawn
                for size, index in sorted(race.ways[way].items())
            ],
            "roofs": _roof_rows(race, points),
            "levels": _level_rows(race, caches if isinstance(caches, dict) else {}),
        }
        yield Panel(
            identifier=f"rates-{number}",
            benchmark=race.benchmark.name,
            series=race.series,
            placement=race.place,
            title=f"rate with {race.mpi} on {race.place}{part}",
            definition=definition(data.run, race.benchmark.name, race.series),
            curves=tuple(drawn),
            data={"rate": rows},
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
    if not race.bytes_each:
        return []
    first, last = race.sizes[0], race.sizes[-1]
    return [
        {"level": f"{name.removesuffix('d')} {format_bytes(size)}", "amount": amount}
        for name, size in caches.items()
        if not name.endswith("i") and first <= (amount := size / race.bytes_each) <= last
    ]


def _draw(panel: Panel, data: dict[str, list[Row]]) -> vl.Specification:
    rates, roofs, levels = data["rates"], data["roofs"], data["levels"]
    amounts = [row["amount"] for row in rates]
    low, high = min(amounts), max(amounts)
    decades = [10**power for power in range(16) if low <= 10**power <= high]
    scale = {"type": "log", "nice": False, "padding": 12}
    ticks: dict[str, Any] = {"values": decades or sorted(set(amounts)), "format": "~s"}
    x = vl.axis("amount", rates[0]["axis"], scale, **ticks)
    y = vl.log_axis("Mflops", "rate (Mflop/s)")
    words = vl.tooltip(
        curve="way", amount=rates[0]["axis"], Mflops="rate (Mflop/s)", low_Mflops="95 % from",
        high_Mflops="95 % to", percent="% of the bound", mark="in doubt",
    )  # fmt: skip
    # A wrong answer is no rate: its curve is there to be seen as such.
    wrong = {"condition": {"test": "datum.wrong", "value": [5, 4]}, "value": [1, 0]}
    faint = {"condition": {"test": "datum.wrong", "value": 0.45}, "value": 1}
    drawn = {"x": x, "y": y, "color": vl.colour(panel.curves), "opacity": faint}
    roof = {"x": x, "y": y, "detail": {"field": "roof"}}
    bound = vl.layer("line", roof, rows=roofs, style="reference", strokeWidth=2)
    named = {"x": x, "text": {"field": "level", "type": "nominal"}}
    caches = {
        "data": {"values": levels},
        "layer": [
            vl.layer("rule", {"x": x}, opacity=0.6),
            vl.layer(
                "text", named, angle=270, align="left", baseline="bottom", dx=6, dy=-3,
                y={"expr": "height"},
            ),
        ],
    }  # fmt: skip
    symbol = {**drawn, "shape": vl.shape(panel.curves), "tooltip": words}
    return vl.chart(
        rates,
        *("curve", "amount", "Mflops", "low_Mflops", "high_Mflops", "percent", "mark", "wrong"),
        layer=[
            *([caches] if levels else []),
            *([bound] if roofs else []),
            vl.layer("line", {**drawn, "strokeDash": wrong}, strokeWidth=1.75),
            vl.layer("point", symbol, filled=True, size=46),
            *([vl.doubtful({"x": x, "y": y, "tooltip": words})]
              if any(row["mark"] for row in rates) else []),
        ],
    )  # fmt: skip


RATE = Plot(
    name="rate",
    title="Rate against size",
    shows=(
        "Floating-point operations of one call over its time, in Mflop/s, against the length of "
        "the data, both axes logarithmic. The dashed line above is the measured bound, that of the "
        "memory or of the cores; upright lines stand where the data fill a cache. Ways with a "
        "wrong answer are dashed and faint, and ringed."
    ),
    panels=rate_panels,
    draw=_draw,
)
