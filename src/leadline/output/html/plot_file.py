"""A plot of the report alone, for a paper: as a picture, a specification, or its data."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from leadline.core.errors import UserError
from leadline.model.comparison import Comparison
from leadline.output.html.charts import Chart, charts
from leadline.output.html.comparison import comparison_panels
from leadline.output.html.theme import DARK, ON_PAPER, configuration
from leadline.output.html.vegalite import PARTS, Specification

FORMS = ("svg", "pdf", "png", "vl.json", "csv")
THEMES = {"light": ON_PAPER, "dark": DARK}

# Of one width, so that a picture fits wherever it is shown; the first is what draws it here.
_FONT = "Liberation Sans, Arial, Helvetica, sans-serif"


# Of a picture's width, axis and padding take so much, and a letter and a symbol of a legend.
_BESIDE, _LETTER, _SYMBOL = 90, 5.5, 28


class Look(NamedTuple):
    """How a chart is drawn: its whole size in pixels, without a height the plot's own.

    `shown` is what a plot with a list shows of it, None for the first.
    """

    theme: str = "light"
    width: int = 480
    height: int | None = None
    title: str = ""
    shown: str | None = None


def ratio_charts(comparison: Comparison) -> list[Chart]:
    """Return the charts of what is in a comparison alone, not those of the figures compared."""
    panels = [panel for panel, _ in comparison_panels(comparison)]
    return [chart for chart in charts(panels) if chart.plot.name == "ratio"]


def alone(chart: Chart, look: Look) -> Specification:
    """Return the Vega-Lite specification of a chart with its colours, fonts and size inside.

    Raises `UserError` where `look` chooses what the chart does not have.
    """
    import vl_convert

    plot, panel = chart
    colours = THEMES[look.theme]
    made = _with_legends(plot.specification(panel), look.width - _BESIDE)
    version = vl_convert.get_vegalite_versions()[-1].partition(".")[0]
    title = {"title": {"text": look.title, "color": colours["ink"]}} if look.title else {}
    height = {"height": look.height} if look.height else {}
    return {
        "$schema": f"https://vega.github.io/schema/vega-lite/v{version}.json",
        "description": plot.describe(panel),
        **title,
        **made,
        "width": look.width,
        **height,
        "autosize": {"type": "fit" if height else "fit-x", "contains": "padding"},
        "background": colours["paper"],
        "padding": 8,
        "params": _params(made.get("params", []), look.shown),
        "config": configuration(colours, _FONT),
    }


def _with_legends(value: Any, width: float) -> Any:
    """Return a specification whose legends of curves are at most so wide."""
    if isinstance(value, list):
        return [_with_legends(each, width) for each in value]
    if not isinstance(value, dict):
        return value
    made = {name: _with_legends(each, width) for name, each in value.items()}
    if "columns" in (legend := made.get("legend") or {}):
        room = _SYMBOL + _LETTER * max(map(len, made["scale"]["domain"]))
        made["legend"] = {
            **legend,
            "columns": legend["columns"] if legend["columns"] * room <= width else 1,
            "labelLimit": min(legend["labelLimit"], width - _SYMBOL),
            **({} if room <= width else {"labelExpr": PARTS}),
        }
    return made


def _params(params: Sequence[Specification], shown: str | None) -> list[Specification]:
    """Return the parameters without their elements of a page, the one with `shown` set to it."""
    choices = [each for one in params for each in _options(one)]
    if shown is not None and shown not in choices:
        known = f"choose from {', '.join(map(repr, choices))}" if choices else "it shows everything"
        raise UserError(f"this plot cannot show {shown!r}: {known}")
    return [
        {name: value for name, value in one.items() if name != "bind"}
        | ({"value": shown} if shown in _options(one) else {})
        for one in params
    ]


def _options(param: Specification) -> Sequence[str]:
    found: Sequence[str] = param.get("bind", {}).get("options", ())
    return found


def picture(specification: Specification, form: str, scale: float = 1.0) -> bytes:
    """Return the chart in one of `FORMS`.

    A pixel is as many dots of a `png` as `scale` says, and a point of a `pdf`.
    """
    import vl_convert

    if form == "csv":
        return table(specification["data"]["values"]).encode()
    if form == "vl.json":
        return msgspec.json.format(msgspec.json.encode(specification), indent=2) + b"\n"
    if form == "svg":
        return _add_description(vl_convert.vegalite_to_svg(specification), specification).encode()
    if form == "pdf":
        return bytes(vl_convert.vegalite_to_pdf(specification))
    return bytes(vl_convert.vegalite_to_png(specification, scale=scale))


def _add_description(svg: str, specification: Specification) -> str:
    head, _, rest = svg.partition(">")
    return f'{head} role="img"><desc>{html.escape(specification["description"])}</desc>{rest}'


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Return rows as CSV. A row whose cells are lists stands for as many rows as they are long."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, rows[0] if rows else (), lineterminator="\r\n")
    writer.writeheader()
    for row in rows:
        lists = {name: cell for name, cell in row.items() if isinstance(cell, list)}
        for index in range(max(map(len, lists.values()), default=1)):
            writer.writerow({**row, **{name: cell[index] for name, cell in lists.items()}})
    return text.getvalue()
