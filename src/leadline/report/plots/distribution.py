"""Cumulative distribution of the samples, relative to the median of their figure."""

from leadline.report.panels import Panel
from leadline.report.plot import Plot, Specification, chart, colour, tooltip

_ALL = "all"


def _specification(panel: Panel) -> Specification:
    sizes = list(
        dict.fromkeys(
            row["size"] for row in sorted(panel.samples, key=lambda row: row["bytes"] or 0)
        )
    )
    by_size = len(panel.curves) == 1 and len(sizes) > 1
    names = sizes if by_size else list(panel.curves)
    chooser = {
        "name": "shown",
        "value": _ALL,
        "bind": {"input": "select", "options": [_ALL, *sizes], "name": "Sizes shown "},
    }
    return chart(
        panel.samples,
        *("curve", "bytes", "size", "median_us", "samples", "drawn", "time_us", "share"),
        params=[chooser] if len(sizes) > 1 else [],
        transform=[
            {"filter": "datum.median_us > 0"},
            {"flatten": ["time_us", "share"]},
            {"calculate": "datum.time_us / datum.median_us", "as": "relative"},
            {"filter": "datum.relative > 0"},
            *([{"filter": f"shown == '{_ALL}' || datum.size == shown"}] if len(sizes) > 1 else []),
        ],
        mark={"type": "line", "interpolate": "step-after", "strokeWidth": 1.5, "point": True},
        encoding={
            "x": {
                "field": "relative",
                "type": "quantitative",
                "scale": {"type": "log", "nice": False, "padding": 12},
                "axis": {
                    "title": "time over the median of its figure",
                    "format": "~g",
                    "labelOverlap": "greedy",
                },
            },
            "y": {
                "field": "share",
                "type": "quantitative",
                "scale": {"domain": [0, 1]},
                "axis": {"title": "samples at or below", "format": "%"},
            },
            "color": colour(names, "size" if by_size else "curve"),
            "strokeDash": colour(names, "size" if by_size else "curve"),
            "detail": [{"field": "curve"}, {"field": "size"}],
            "tooltip": tooltip(
                curve="curve",
                size="size",
                time_us="time (µs)",
                relative="over the median",
                share="share at or below",
                samples="samples in all",
                drawn="of them drawn",
            ),
        },
    )


PLOT = Plot(
    name="distribution",
    order=40,
    title="Distribution of samples",
    shows=(
        "Share of the samples that took at most so many times the median of their figure. A steep "
        "line is a steady machine, a long flat end at the top is a tail. At most six sizes of a "
        "curve are drawn; of many samples some are drawn, more densely in the tail, always with "
        "the fastest and the slowest."
    ),
    applies=lambda panel: bool(panel.samples),
    specification=_specification,
)
