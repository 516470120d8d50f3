"""Colours and type of charts and pages: one place for the page, for papers and for the server."""

from __future__ import annotations

import importlib.resources
from collections.abc import Mapping
from typing import Any

FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif'

# Curves after M. Okabe and K. Ito, "Color Universal Design", 2008, darkened or lightened until
# each has a contrast of 3 to 1 against the paper.
LIGHT = {
    "paper": "#fbfbfa",
    "raised": "#ffffff",
    "ink": "#1c2126",
    "muted": "#59636e",
    "line": "#dfe2e5",
    "link": "#0b5cad",
    "problem": "#a8261c",
    "notice": "#8a5a00",
    "fact": "#2b6a8f",
    "good": "#1f6f43",
    "curve-1": "#0072b2",
    "curve-2": "#d55e00",
    "curve-3": "#00855f",
    "curve-4": "#b5578f",
    "curve-5": "#9a6b00",
    "curve-6": "#2f9ad0",
    "curve-7": "#55489d",
    "curve-8": "#4a4f55",
}
DARK = {
    "paper": "#14171a",
    "raised": "#1b1f24",
    "ink": "#e4e7ea",
    "muted": "#9aa5b1",
    "line": "#2f363d",
    "link": "#7cb8f2",
    "problem": "#ff8f83",
    "notice": "#e9b44c",
    "fact": "#7fc1e6",
    "good": "#6cc794",
    "curve-1": "#4ea8e0",
    "curve-2": "#f08a45",
    "curve-3": "#3cc79b",
    "curve-4": "#e39ac8",
    "curve-5": "#e3b341",
    "curve-6": "#9bd7f5",
    "curve-7": "#aba0f0",
    "curve-8": "#c3c8ce",
}
# What a page calls its colours, so that a chart in it follows the theme, also on paper.
VARIABLES = {name: f"var(--{name})" for name in LIGHT}

ON_PAPER = LIGHT | {"paper": "#ffffff", "raised": "#ffffff", "ink": "#000000", "muted": "#444444"}


def configuration(colours: Mapping[str, str], font: str = FONT) -> dict[str, Any]:
    """Return the Vega-Lite configuration of every chart; `colours` are `LIGHT`, `DARK` or names."""
    curves = [colour for name, colour in colours.items() if name.startswith("curve-")]
    muted, line = colours["muted"], colours["line"]
    return {
        "background": None,
        "font": font,
        "view": {"stroke": None},
        "axis": {
            "labelFontSize": 11,
            "titleFontSize": 11,
            "titleFontWeight": "normal",
            "titlePadding": 8,
            "labelSeparation": 4,
            "labelColor": muted,
            "titleColor": muted,
            "gridColor": line,
            "domainColor": muted,
            "tickColor": muted,
            "domainOpacity": 0.5,
            "tickOpacity": 0.5,
        },
        "legend": {
            "labelFontSize": 11,
            "titleFontSize": 11,
            "titleFontWeight": "normal",
            "symbolStrokeWidth": 2,
            "labelColor": muted,
            "titleColor": muted,
        },
        "text": {"color": muted, "fontSize": 11},
        "range": {"category": curves},
        "mark": {"color": curves[0]},
        "style": {
            "doubtful": {
                "filled": False,
                "size": 170,
                "strokeWidth": 1.5,
                "opacity": 1,
                "stroke": colours["problem"],
                "color": colours["problem"],
            },
            "reference": {"stroke": muted, "color": muted, "strokeDash": [3, 3]},
        },
    }


def style_sheet() -> str:
    """Return the style sheet of the report: colours for both themes and paper, then the rules."""
    rules = importlib.resources.files("leadline.output.html") / "page" / "page.css"
    return "\n".join(
        (
            _colours(":root", LIGHT, "light dark", font=FONT),
            "@media (prefers-color-scheme: dark) {",
            _colours(":root", DARK, "light dark"),
            "}",
            rules.read_text(encoding="utf-8"),
            "@media print {",
            _colours(":root", ON_PAPER, "light"),
            "}",
            "",
        )
    )


def _colours(selector: str, colours: Mapping[str, str], scheme: str, **named: str) -> str:
    variables = "".join(f"  --{name}: {value};\n" for name, value in {**colours, **named}.items())
    return f"{selector} {{\n  color-scheme: {scheme};\n{variables}}}"
