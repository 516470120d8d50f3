"""The empirical distribution of samples, relative to the median of their figure."""

from leadline.output.html.panels import Panel
from leadline.output.html.plot import Plot, Specification, chart, colour, tooltip

_ALL = "all"


def _specification(panel: Panel) -> Specification:
    sizes = list(
        dict.fromkeys(
            row["size"] for row in sorted(panel.samples, key=lambda row: row["bytes"] or 0)
        )
    )
    by_size = len(panel.curves) == 1 and len(sizes) > 1
    names = sizes if by_size else list(panel.curves)
    # All sizes of several curves at once are a tangle.
    first = _ALL if by_size else sizes[0]
    hue = colour(names, "size" if by_size else "curve")
    if hue["legend"]:
        hue["legend"] |= {"symbolType": "stroke", "symbolSize": 260}
    chooser = {
        "name": "shown",
        "value": first,
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
            {"calculate": "1 / (1 - datum.share)", "as": "one_in"},
            *([{"filter": f"shown == '{_ALL}' || datum.size == shown"}] if len(sizes) > 1 else []),
        ],
        mark={"type": "line", "strokeWidth": 1.5, "point": "transparent"},
        encoding={
            "x": {
                "field": "relative",
                "type": "quantitative",
                "scale": {"type": "log", "nice": False, "padding": 8},
                "axis": {
                    "title": "time over the median of its figure",
                    "format": "~g",
                    "tickCount": 5,
                },
            },
            "y": {
                "field": "one_in",
                "type": "quantitative",
                "scale": {"type": "log", "nice": False, "domainMin": 1},
                "axis": {
                    "title": "share of samples at or below",
                    "values": [1, 2, *(10**nines for nines in range(1, 10))],
                    "labelExpr": "format(1 - 1 / datum.value, '.6~%')",
                    "labelOverlap": "greedy",
                },
            },
            "order": {"field": "share", "type": "quantitative"},
            "color": hue,
            "strokeDash": hue,
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
        "The empirical distribution function: the share of samples that took at most so many times "
        "the median of their figure. The axis gives 90 %, 99 % and 99.9 % equal room: a steep line "
        "is a steady machine, a bend to the right is a tail. At most six sizes of a curve are "
        "drawn, and of many samples some, more densely in the tail, always with the fastest and "
        "the slowest."
    ),
    applies=lambda panel: bool(panel.samples),
    specification=_specification,
)
