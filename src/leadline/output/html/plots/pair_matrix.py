"""Which ranks are slow to each other."""

from leadline.output.html.panels import Panel
from leadline.output.html.plot import Plot, Specification, chart, chooser, tooltip

_TIMES = ("median_us", "relative")

# A machine whose pairs are all alike shall look so.
_LEAST_RANGE = 1.25


def _specification(panel: Panel) -> Specification:
    choice = chooser("figure", [row["figure"] for row in panel.matrix])
    ranks = sorted({rank for row in panel.matrix for rank in (*row["rank"], *row["peer"])})
    slowest = max(_LEAST_RANGE, *(max(row["relative"]) for row in panel.matrix))

    def of(field: str, title: str) -> Specification:
        return {
            "field": field,
            "type": "ordinal",
            "scale": {"domain": ranks},
            "axis": {"title": title, "labelOverlap": "greedy", "labelAngle": 0, "grid": False},
        }

    return chart(
        panel.matrix,
        *("figure", "ranks_a_cell", "rank", "peer", *_TIMES),
        height=max(120, min(420, 26 * len(ranks))),
        params=choice.params,
        transform=[*choice.transform, {"flatten": ["rank", "peer", *_TIMES]}],
        mark={"type": "rect"},
        encoding={
            "x": of("peer", "partner"),
            "y": of("rank", "rank that stops the clock"),
            "color": {
                "field": "relative",
                "type": "quantitative",
                "scale": {"type": "log", "scheme": "viridis", "domain": [1, slowest]},
                "legend": {"title": "over the fastest pair", "orient": "top", "format": "~g"},
            },
            "tooltip": [
                {"field": "rank", "title": "rank", "type": "nominal"},
                {"field": "peer", "title": "partner", "type": "nominal"},
                *tooltip(
                    median_us="median (µs)",
                    relative="over the fastest pair",
                    ranks_a_cell="ranks a cell",
                ),
            ],
        },
    )


PLOT = Plot(
    name="pair_matrix",
    order=45,
    title="Times between pairs of ranks",
    shows=(
        "Median time of each pair of ranks that exchanged messages over that of the fastest pair, "
        "for the smallest and the largest size. Blocks of one colour are nodes or switches, a "
        "bright row or column is a slow rank. On large machines neighbouring ranks share a cell, "
        "which shows the slowest of them."
    ),
    applies=lambda panel: bool(panel.matrix),
    specification=_specification,
)
