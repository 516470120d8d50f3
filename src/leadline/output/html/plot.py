"""What a plot is, and the axes and colours that plots have in common."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from leadline.output.html.panels import Panel, Row

Specification = dict[str, Any]


class Plot(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of chart.

    `specification` turns a panel's tables into a Vega-Lite specification; its top-level
    `data.values` is what a reader can download beside the chart. `shows` says in words what is
    drawn, for the caption and for those who cannot see the chart. Plots are drawn by `order`.
    """

    name: str
    order: int
    title: str
    shows: str
    applies: Callable[[Panel], bool]
    specification: Callable[[Panel], Specification]


def chart(rows: Iterable[Row], *columns: str, **rest: Any) -> Specification:
    """Return a specification as wide as its container, over the named columns of `rows`."""
    values = [{column: rounded(row[column]) for column in columns} for row in rows]
    return {
        "width": "container",
        "height": 280,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "data": {"values": values},
        **rest,
    }


def rounded(value: Any) -> Any:
    """Return numbers, also those in lists, with six significant digits: more only weighs."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    return [rounded(item) for item in value] if isinstance(value, list) else value


def size_axis(sizes: Sequence[int]) -> Specification:
    """Return the encoding of a logarithmic axis over message sizes in bytes.

    Size 0 has no logarithm, so that a curve which has it is drawn on log(1 + size / constant), the
    constant a quarter of the smallest other size: 0 then stands two octaves below that.
    """
    smallest = min((size for size in sizes if size), default=1)
    scale: Specification = {"type": "log", "base": 2}
    if 0 in sizes:
        scale = {"type": "symlog", "constant": max(1, smallest / 4)}
    ticks = [4**power for power in range(24) if smallest <= 4**power <= max(sizes)]
    units = ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))
    label = "datum.value + ' B'"
    for factor, unit in reversed(units):
        label = f"datum.value >= {factor} ? datum.value / {factor} + ' {unit}' : {label}"
    return {
        "field": "bytes",
        "type": "quantitative",
        "scale": {**scale, "nice": False, "padding": 12},
        "axis": {
            "title": "message size",
            "values": [0, *ticks] if 0 in sizes else ticks or list(sizes),
            "labelExpr": label,
            "labelOverlap": "greedy",
            "labelSeparation": 6,
        },
    }


def log_axis(field: str, title: str) -> Specification:
    """Return the encoding of a logarithmic vertical axis over positive values."""
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "padding": 10},
        "axis": {
            "title": title,
            "format": "~s" if field.endswith("MBps") else "~g",
            "tickCount": 6,
            # Between decades a line without a number only helps to see that the axis is not even.
            "gridOpacity": {"condition": {"test": "datum.label", "value": 1}, "value": 0.35},
        },
    }


def colour(names: Sequence[str], field: str = "curve") -> Specification:
    """Return the colour encoding of curves; one curve needs no legend."""
    legend = {
        "title": None,
        "orient": "top",
        "direction": "vertical",
        "columns": 1 if max(map(len, names), default=0) > 18 else 2,
        "labelLimit": 320,
        "symbolOpacity": 1,
    }
    return {
        "field": field,
        "type": "nominal",
        # Not `sort`, which would put the names into an expression.
        "scale": {"domain": list(names)},
        "legend": legend if len(names) > 1 else None,
    }


def shape(names: Sequence[str], field: str = "curve") -> Specification:
    """Return the shape encoding that tells curves apart without colour."""
    return colour(names, field)


class Chooser(NamedTuple):
    """A list above a chart that shows one of several values of a field."""

    params: list[Specification]
    transform: list[Specification]


def chooser(field: str, values: Sequence[str]) -> Chooser:
    """Return what lets a reader choose one of these values, the first one to begin with."""
    if len(values) < 2:
        return Chooser([], [])
    bind = {"input": "select", "options": list(values), "name": f"{field.capitalize()} shown "}
    return Chooser(
        [{"name": "shown", "value": values[0], "bind": bind}],
        [{"filter": f"datum.{field} == shown"}],
    )


def tooltip(**fields: str) -> list[Specification]:
    """Return a tooltip of `field=title` pairs; numbers keep four significant digits."""
    text = ("curve", "size", "mark", "choices")
    return [
        {"field": name, "title": title}
        | ({"type": "nominal"} if name in text else {"type": "quantitative", "format": ",.4~g"})
        for name, title in fields.items()
    ]


def curve_against_size(
    panel: Panel, value: str, low: str, high: str, title: str, caption: str, limits: bool = False
) -> Specification:
    """Return a chart of `value` against size, with its band from `low` to `high`.

    Figures in doubt are ringed; dashed lines stand where another protocol begins, and with
    `limits` at the physical limits of `value`.
    """
    names = panel.curves
    rows = [row for row in panel.points if row[value] and row[value] > 0]
    size = size_axis(sorted({row["bytes"] for row in rows}))
    own_colour = colour(names)
    words = tooltip(
        curve="curve", size="size", **{value: caption, low: "95 % from", high: "95 % to"},
        samples="samples", mark="in doubt",
    )  # fmt: skip
    drawn = {"x": size, "y": log_axis(value, title), "color": own_colour}
    doubtful = {
        "transform": [{"filter": "datum.mark != ''"}],
        "mark": {"type": "point", "style": "doubtful"},
        "encoding": {"x": size, "y": drawn["y"], "tooltip": words},
    }
    switches = {
        "data": {"values": list(panel.switches)},
        "mark": {"type": "rule", "strokeDash": [4, 4], "opacity": 0.7},
        "encoding": {"x": size, "color": own_colour},
    }
    band = {
        "transform": [{"filter": f"datum.{low} > 0"}],
        "mark": {"type": "area", "opacity": 0.25},
        "encoding": {**drawn, "y": {**drawn["y"], "field": low}, "y2": {"field": high}},
    }
    bounded = bool(limits and panel.bounds)
    limit = {"y": {**drawn["y"], "field": "limit"}}
    bounds = {
        "data": {
            "values": [{"limit": row["MBps"], "words": row["source"]} for row in panel.bounds]
        },
        "layer": [
            {"mark": {"type": "rule", "style": "reference"}, "encoding": limit},
            {
                "mark": {"type": "text", "align": "left", "dy": -6, "x": 6, "limit": 280},
                "encoding": {**limit, "text": {"field": "words", "type": "nominal"}},
            },
        ],
    }
    return chart(
        rows,
        *("curve", "bytes", "size", value, low, high, "samples", "mark"),
        layer=[
            *([bounds] if bounded else []),
            *([band] if any(row[low] for row in rows) else []),
            *([switches] if panel.switches else []),
            {"mark": {"type": "line", "strokeWidth": 1.75}, "encoding": drawn},
            {
                "mark": {"type": "point", "filled": True, "size": 46, "opacity": 1},
                "encoding": {**drawn, "shape": shape(names), "tooltip": words},
            },
            *([doubtful] if any(row["mark"] for row in rows) else []),
        ],
    )
