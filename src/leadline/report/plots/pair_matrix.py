"""Which ranks are slow to each other."""

from leadline.report.panels import Panel
from leadline.report.plot import Plot, Specification, chart, chooser, tooltip


def _specification(panel: Panel) -> Specification:
    choice = chooser("figure", [row["figure"] for row in panel.matrix])
    ranks = sorted({rank for row in panel.matrix for rank in (*row["rank"], *row["peer"])})

    def of(field: str, title: str) -> Specification:
        return {
            "field": field,
            "type": "ordinal",
            "scale": {"domain": ranks},
            "axis": {"title": title, "labelOverlap": "greedy", "labelAngle": 0, "grid": False},
        }

    return chart(
        panel.matrix,
        *("figure", "ranks_a_cell", "rank", "peer", "median_us"),
        height=max(120, min(420, 26 * len(ranks))),
        params=choice.params,
        transform=[*choice.transform, {"flatten": ["rank", "peer", "median_us"]}],
        mark={"type": "rect"},
        encoding={
            "x": of("peer", "partner"),
            "y": of("rank", "rank that stops the clock"),
            "color": {
                "field": "median_us",
                "type": "quantitative",
                "scale": {"scheme": "viridis", "zero": False},
                "legend": {"title": "median (µs)", "orient": "top", "format": "~g"},
            },
            "tooltip": [
                {"field": "rank", "title": "rank", "type": "nominal"},
                {"field": "peer", "title": "partner", "type": "nominal"},
                *tooltip(median_us="median (µs)", ranks_a_cell="ranks a cell"),
            ],
        },
    )


PLOT = Plot(
    name="pair_matrix",
    order=45,
    title="Times between pairs of ranks",
    shows=(
        "Median time in microseconds of each pair of ranks that exchanged messages, for the "
        "smallest and the largest size. Blocks of one colour are nodes or switches, a bright row "
        "or column is a slow rank. On large machines neighbouring ranks share a cell, which shows "
        "the slowest of them."
    ),
    applies=lambda panel: bool(panel.matrix),
    specification=_specification,
)
