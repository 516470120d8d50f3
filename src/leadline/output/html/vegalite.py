"""The axes, layers and colours that plots have in common, as parts of Vega-Lite specifications."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from leadline.output.html.panels import Panel, Row

Specification = dict[str, Any]


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
    ticks = [4**power for power in range(24) if smallest <= 4**power <= max(sizes, default=0)]
    units = ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))
    label = "datum.value + ' B'"
    for factor, unit in reversed(units):
        label = f"datum.value >= {factor} ? datum.value / {factor} + ' {unit}' : {label}"
    return axis(
        "bytes",
        "message size",
        {**scale, "nice": False, "padding": 12},
        values=[0, *ticks] if 0 in sizes else ticks or list(sizes),
        labelExpr=label,
        labelOverlap="greedy",
        labelSeparation=6,
    )


def axis(
    field: str,
    title: str | None,
    scale: Specification | None = None,
    kind: str = "quantitative",
    **rest: Any,
) -> Specification:
    """Return the encoding of an axis; the rest are properties of Vega-Lite's `axis`."""
    scaled = {"scale": scale} if scale else {}
    return {"field": field, "type": kind, **scaled, "axis": {"title": title, **rest}}


# A rate in 10^6 bytes/s with the unit that suits it.
_RATE_LABEL = (
    "!datum.label ? '' : datum.value >= 1000 ? format(datum.value / 1000, '~g') + ' GB/s'"
    " : format(datum.value, '~g') + ' MB/s'"
)


def log_axis(field: str, title: str) -> Specification:
    """Return the encoding of a logarithmic vertical axis over positive values."""
    return axis(
        field,
        title,
        {"type": "log", "nice": False, "padding": 10},
        format="~g",
        **({"labelExpr": _RATE_LABEL} if field.endswith("MBps") else {}),
        tickCount=6,
        # Between decades a line without a number only helps to see that the axis is not even.
        gridOpacity={"condition": {"test": "datum.label", "value": 1}, "value": 0.35},
    )


# Each part of a name on a line of its own.
PARTS = "split(datum.label, ', ')"


def name_axis(names: Sequence[str], field: str = "curve") -> Specification:
    """Return the encoding of an axis with a place for each name."""
    scale = {"domain": list(names)}
    shown = {"labelExpr": PARTS, "labelLimit": 180}
    return axis(field, None, scale, kind="nominal", **shown, grid=False)


def heat(title: str, **scale: Any) -> Specification:
    """Return the colour encoding of `relative`, a ratio: the brighter, the larger."""
    return {
        "field": "relative",
        "type": "quantitative",
        "scale": {"type": "log", "scheme": "viridis", **scale},
        "legend": {"title": title, "orient": "top", "format": "~g"},
    }


def layer(
    mark: str, encoding: Specification, where: str = "", rows: Any = None, **properties: Any
) -> Specification:
    """Return a layer of marks with these properties.

    It draws the rows for which the expression `where` holds: those of the chart, or its own.
    """
    return {
        **({} if rows is None else {"data": {"values": list(rows)}}),
        **({"transform": [{"filter": where}]} if where else {}),
        "mark": {"type": mark, **properties},
        "encoding": encoding,
    }


def symbols(encoding: Specification, size: int, where: str = "", **rest: Any) -> Specification:
    """Return a layer of filled symbols; the rest are further encodings."""
    drawn = {**encoding, **rest}
    return layer("point", drawn, where, filled=True, size=size, opacity=1)


def spread(
    mark: str, encoding: Specification, low: str, high: str, where: str, **properties: Any
) -> Specification:
    """Return a layer from the field `low` to the field `high` along the encoding's `y`."""
    ends = {"y": {**encoding["y"], "field": low}, "y2": {"field": high}}
    return layer(mark, {**encoding, **ends}, where, **properties)


def level(value: float) -> Specification:
    """Return a dashed level line."""
    encoding = {"y": {"field": "level", "type": "quantitative"}}
    return layer("rule", encoding, rows=[{"level": value}], style="reference")


def doubtful(encoding: Specification) -> Specification:
    """Return rings around what is in doubt."""
    return layer("point", encoding, "datum.mark != ''", style="doubtful")


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


# The shape encoding that tells curves apart without colour has the fields of the colours.
shape = colour


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


_TEXTS = frozenset(
    ("curve", "size", "mark", "choices", "rank", "peer", "cause", "machine", "verdict", "phase",
     "which", "place", "pair",
     "reach", "source")
)  # fmt: skip


def tooltip(**fields: str) -> list[Specification]:
    """Return a tooltip of `field=title` pairs; numbers keep four significant digits."""
    return [
        {"field": name, "title": title}
        | ({"type": "nominal"} if name in _TEXTS else {"type": "quantitative", "format": ",.4~g"})
        for name, title in fields.items()
    ]


def curve_against_size(
    panel: Panel,
    data: Mapping[str, Sequence[Row]],
    value: str,
    low: str,
    high: str,
    title: str,
    caption: str,
) -> Specification:
    """Return a chart of `value` against size, with its band from `low` to `high`.

    Figures in doubt are ringed; dashed lines stand at the sizes `switches`, where another protocol
    begins, and at the physical limits `bounds` of `value`.
    """
    rows = [row for row in panel.points if row[value] and row[value] > 0]
    size = size_axis(sorted({row["bytes"] for row in rows}))
    words = tooltip(
        curve="curve", size="size", **{value: caption, low: "95 % from", high: "95 % to"},
        samples="samples", mark="in doubt",
    )  # fmt: skip
    drawn = {"x": size, "y": log_axis(value, title), "color": colour(panel.curves)}
    upright = {"x": size, "color": drawn["color"]}
    limit = {"y": {**drawn["y"], "field": "limit"}}
    text = {**limit, "text": {"field": "words", "type": "nominal"}}
    bounds = {
        "data": {
            "values": [{"limit": row["MBps"], "words": row["source"]} for row in data["bounds"]]
        },
        "layer": [
            layer("rule", limit, style="reference"),
            layer("text", text, align="left", dy=-6, x=6, limit=280),
        ],
    }
    band = spread("area", drawn, low, high, f"datum.{low} > 0", opacity=0.25)
    switches = layer("rule", upright, rows=data["switches"], strokeDash=[4, 4], opacity=0.7)
    return chart(
        rows,
        *("curve", "bytes", "size", value, low, high, "samples", "mark"),
        layer=[
            *([bounds] if data["bounds"] else []),
            *([band] if any(row[low] for row in rows) else []),
            *([switches] if data["switches"] else []),
            layer("line", drawn, strokeWidth=1.75),
            symbols(drawn, 46, shape=shape(panel.curves), tooltip=words),
            *([doubtful({"x": size, "y": drawn["y"], "tooltip": words})]
              if any(row["mark"] for row in rows) else []),
        ],
    )  # fmt: skip
