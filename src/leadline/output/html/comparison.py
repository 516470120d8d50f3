"""Two runs side by side: panels of both, and what is to be thought of each figure."""

from collections.abc import Sequence
from typing import Any

from leadline.analysis.compare.differences import differences
from leadline.model.comparison import Compared, Comparison
from leadline.model.run import Run
from leadline.model.summary import PointSummary
from leadline.output.compared import (
    comparison_sentences,
    comparison_table,
    names_left_out,
    outcome_text,
    verdict_counts,
)
from leadline.output.html.charts import by_family, part, with_data
from leadline.output.html.panels import (
    MAXIMUM_CURVES,
    Panel,
    Row,
    curve_names,
    definition,
    place_row,
    point_row,
)
from leadline.output.html.report_data import no_data
from leadline.output.table import Column, Table

# Both runs' curves share a chart.
_CURVES = MAXIMUM_CURVES // 2
_LEGIBLE = 18


def section(comparison: Comparison, number: int, runs: Sequence[Run]) -> dict[str, Any]:
    """Return what a page says of one comparison, the `number`th of the page.

    `runs` are the base and then the others, where they are known.
    """
    parts = comparison_panels(comparison, runs, f"comparison-{number}")
    named = {panel.identifier: figures for panel, figures in parts}
    panels = [panel for panel, _ in parts]
    title = f"{comparison.other} against {comparison.base}"
    notes = [f"First, the base: {comparison.base}. Second, the other: {comparison.other}."]
    return {
        "title": title,
        "answer": comparison_sentences(comparison, comparison.base, comparison.other),
        "comparison": comparison,
        "identifier": f"comparison-{number}",
        "counts": verdict_counts(comparison),
        "left_out": names_left_out(comparison),
        "needed": max((one.launches_needed or 0 for one in comparison.figures), default=0),
        "differences": differences(runs[0], runs[number]) if len(runs) > number else (),
        "families": by_family(
            panels,
            lambda panel: part(panel, _sheet(comparison, panel, named[panel.identifier]), notes),
            prefix=f"comparison-{number}-",
        ),
    }


def comparison_panels(
    comparison: Comparison, runs: Sequence[Run] = (), prefix: str = "comparison"
) -> list[tuple[Panel, tuple[Compared, ...]]]:
    """Return the panels of a comparison, each with the figures in it.

    A panel holds the ratios, and the curves of both runs as `latency` and `bandwidth` draw them.
    What series mean is taken from `runs`.
    """
    groups: dict[tuple[str, str, str], list[Compared]] = {}
    for one in comparison.figures:
        key = (one.base.benchmark, one.base.series, _where(one))
        groups.setdefault(key, []).append(one)
    found: list[tuple[Panel, tuple[Compared, ...]]] = []
    for key, group in groups.items():
        names = _names([one.base for one in group])
        curves = list(dict.fromkeys(names))
        for start in range(0, len(curves), _CURVES):
            chunk = curves[start : start + _CURVES]
            own = [(name, one) for name, one in zip(names, group, strict=True) if name in chunk]
            more = f", part {start // _CURVES + 1}" if len(curves) > _CURVES else ""
            identifier = f"{prefix}-panel-{len(found)}"
            meanings = (definition(run, *key[:2]) for run in runs)
            meant = next(filter(None, meanings), "")
            panel = _panel(comparison, identifier, key, own, meant, more)
            found.append((panel, tuple(one for _, one in own)))
    return found


def _names(points: Sequence[PointSummary]) -> list[str]:
    names = curve_names(points)
    return names if len(set(names)) > 1 else [""] * len(names)


def _where(one: Compared) -> str:
    places = [f"{each.nodes}x{each.processes_per_node}" for each in (one.base, one.other)]
    return " and ".join(dict.fromkeys(places))


def _panel(
    comparison: Comparison,
    identifier: str,
    key: tuple[str, str, str],
    group: Sequence[tuple[str, Compared]],
    meant: str,
    more: str,
) -> Panel:
    benchmark, series, where = key
    base, other = _sides(comparison)
    rows = [
        (_curve(name, side), point)
        for name, one in group
        for side, point in ((base, one.base), (other, one.other))
    ]
    panel = Panel(
        identifier=identifier,
        benchmark=benchmark,
        series=series,
        placement=where,
        title=f"{series.replace('_', ' ')} on {where}{more}",
        definition=meant,
        curves=tuple(dict.fromkeys(curve for curve, _ in rows)),
        points=tuple(point_row(curve, point) for curve, point in rows),
        data={"ratio": [_ratio_row(comparison, name, one) for name, one in group]},
    )
    return with_data(panel, no_data())


def _sides(comparison: Comparison) -> tuple[str, str]:
    """Return what tells both runs apart in a legend, which has no room for long names."""
    base, other = comparison.base, comparison.other
    if max(len(base), len(other)) > _LEGIBLE:
        return "first", "second"
    return base, other if other != base else f"{other}, the second"


def _curve(name: str, side: str) -> str:
    return f"{name}: {side}" if name else side


def _ratio_row(comparison: Comparison, name: str, one: Compared) -> Row:
    same = 1 + comparison.same_within
    return {
        **place_row(name or comparison.other, one.base),
        "ratio": one.ratio,
        "low": one.low,
        "high": one.high,
        "verdict": one.verdict,
        "base_us": one.base.median_s * 1e6,
        "other_us": one.other.median_s * 1e6,
        "same_from": 1 / same,
        "same_to": same,
    }


def _sheet(comparison: Comparison, panel: Panel, figures: Sequence[Compared]) -> Table:
    caption = (
        f"{panel.benchmark}, {panel.title}: base is {comparison.base}, other {comparison.other}. "
        "The ratio is the other's time over the base's; p is corrected for the number of figures "
        "compared."
    )
    names = [row["curve"] for row in panel.data["ratio"]]
    for curve in dict.fromkeys(names):
        own = [one for name, one in zip(names, figures, strict=True) if name == curve]
        if outcome := outcome_text(own):
            caption += f" {curve}: {outcome}."
    sheet = comparison_table(figures, caption, names, f"figure-{panel.identifier}")
    return sheet._replace(columns=tuple(map(_heading, sheet.columns)))


def _heading(column: Column) -> Column:
    name = column.name.replace(" us", " µs") or "Notes"
    return column._replace(name=name if name == "p" else f"{name[0].upper()}{name[1:]}")
