"""Two runs side by side: panels of both, and what is to be thought of each figure."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from leadline.analysis.compare.differences import differences
from leadline.core.units import format_bytes, format_figure, format_measured
from leadline.model.comparison import Compared, Comparison
from leadline.model.run import Run
from leadline.model.summary import PointSummary
from leadline.output.compared import comparison_sentences
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
from leadline.output.table import Column, Table, number, without_empty_columns
from leadline.output.table import Row as Line
from leadline.output.words import verdicts_text

# Both runs' curves share a chart.
_CURVES = MAXIMUM_CURVES // 2
_MOST_SHOWN = 12
_LEGIBLE = 18
VERDICTS = ("slower", "faster", "cannot tell", "same")


def section(comparison: Comparison, number: int, runs: Sequence[Run]) -> dict[str, Any]:
    """Return what a page says of one comparison, the `number`th of the page.

    `runs` are the base and then the others, where they are known.
    """
    parts = comparison_panels(comparison, runs, f"comparison-{number}")
    named = {panel.identifier: figures for panel, figures in parts}
    panels = [panel for panel, _ in parts]
    title = f"{comparison.other} against {comparison.base}"
    notes = [f"First: {comparison.base}. Second: {comparison.other}."]
    counts = [sum(one.verdict == verdict for one in comparison.figures) for verdict in VERDICTS]
    return {
        "title": title,
        "answer": comparison_sentences(comparison, comparison.base, comparison.other),
        "comparison": comparison,
        "identifier": f"comparison-{number}",
        "counts": list(zip(VERDICTS, counts, strict=True)),
        "needed": max((one.launches_needed or 0 for one in comparison.figures), default=0),
        "clearest": _clearest(comparison, parts),
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
    """Return what tells the figures of one side apart, and nothing where nothing does."""
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


_HEADINGS = (
    Column("Curve"),
    number("Size"),
    number("First (µs)"),
    number("Second (µs)"),
    number("Ratio"),
    number("95 % from"),
    number("95 % to"),
    Column("Verdict"),
    number("p"),
    number("Launches that would tell"),
    Column("Interval by"),
)


def _sheet(comparison: Comparison, panel: Panel, figures: Sequence[Compared]) -> Table:
    lines = tuple(
        Line(
            (
                row["curve"],
                format_bytes(one.base.bytes),
                format_measured(one.base.median_s, None, None, 1e6),
                format_measured(one.other.median_s, None, None, 1e6),
                format_measured(one.ratio, None, None),
                format_measured(one.low, None, None),
                format_measured(one.high, None, None),
                one.verdict,
                format_figure(one.p_value),
                str(one.launches_needed or ""),
                one.method if one.low is not None else "",
            ),
            identifier=f"figure-{panel.identifier}-{position}",
            classes=one.verdict.replace(" ", "-"),
        )
        for position, (row, one) in enumerate(zip(panel.data["ratio"], figures, strict=True))
    )
    caption = (
        f"{panel.benchmark}, {panel.title}: times in microseconds; the first is {comparison.base}, "
        f"the second {comparison.other}. The ratio is the second time over the first; p is "
        "corrected for the number of figures compared."
    )
    verdicts: dict[str, dict[int, str]] = defaultdict(dict)
    for row, one in zip(panel.data["ratio"], figures, strict=True):
        if one.base.bytes is not None:
            verdicts[row["curve"]][one.base.bytes] = one.verdict
    for curve, by_size in verdicts.items():
        if len(by_size) > 1 and {"faster", "slower"} & set(by_size.values()):
            caption += f" {curve}: {verdicts_text(by_size)}."
    return without_empty_columns(Table(caption, _HEADINGS, lines))


def _clearest(
    comparison: Comparison, parts: Sequence[tuple[Panel, Sequence[Compared]]]
) -> list[Table]:
    """Return the figures that differ for sure, slower ones first, the largest difference first."""
    found = []
    for verdict in ("slower", "faster"):
        own = [(panel, one) for panel, every in parts for one in every if one.verdict == verdict]
        own.sort(key=lambda each: each[1].ratio, reverse=verdict == "slower")
        shown = f", the {_MOST_SHOWN} that differ most" if len(own) > _MOST_SHOWN else ""
        lines = tuple(
            Line(
                (
                    one.name,
                    format_measured(one.ratio, None, None),
                    format_measured(one.low, None, None),
                    format_measured(one.high, None, None),
                    format_figure(one.p_value),
                ),
                link=panel.identifier,
            )
            for panel, one in own[:_MOST_SHOWN]
        )
        headings = (Column("Figure"), *map(number, ("Ratio", "95 % from", "95 % to", "p")))
        if lines:
            caption = f"{verdict.capitalize()} than {comparison.base}{shown}"
            found.append(without_empty_columns(Table(caption, headings, lines)))
    return found
