"""How much longer programs take on more ranks for the noise of their processors."""

from leadline.output.html import vegalite as vl
from leadline.output.html.panels import Panel, Row
from leadline.output.html.plot import Plot
from leadline.output.html.plots.spectrum import longest_watched
from leadline.output.html.report_data import ReportData


def _data(panel: Panel, data: ReportData) -> list[Row]:
    names = panel.names()
    return [
        {
            "figure": names[index],
            "phase": f"phases of {_format_decade(cost.phase_s)}",
            "tasks": cost.tasks,
            "slowdown": cost.slowdown,
            "low": cost.ci95_low if cost.ci95_high is not None else None,
            "high": cost.ci95_high,
            "together": cost.together_slowdown,
            "reach": cost.reach,
        }
        for index, noise in longest_watched(panel, data)
        for cost in noise.costs
    ]


def _format_decade(seconds: float) -> str:
    """Return a decade of seconds without digits that say nothing, such as `100 µs`."""
    scale, unit = next((s, u) for s, u in ((1e6, "µs"), (1e3, "ms"), (1, "s")) if seconds * s < 999)
    return f"{seconds * scale:g} {unit}"


def _draw(panel: Panel, rows: list[Row]) -> vl.Specification:
    choice = vl.chooser("figure", list(dict.fromkeys(row["figure"] for row in rows)))
    phases = list(dict.fromkeys(row["phase"] for row in rows))
    ranks = [2, *(10**n for n in range(1, 7))]
    scale = {"type": "log", "nice": False, "padding": 12}
    own = {
        "x": vl.axis("tasks", "ranks", scale, values=ranks, format="~s"),
        "y": vl.log_axis("slowdown", "times as long as without noise"),
        "color": vl.colour(phases, "phase"),
    }
    known = "datum.reach != 'beyond'"
    words = vl.tooltip(
        phase="compute for", tasks="ranks", slowdown="times as long", low="95 % from",
        high="95 % to", together="if all were hit at once", reach="rests on",
    )  # fmt: skip
    marked = {**own, "shape": vl.shape(phases, "phase"), "tooltip": words}
    look = {"size": 46, "opacity": 1}
    return vl.chart(
        rows,
        *("figure", "phase", "tasks", "slowdown", "low", "high", "together", "reach"),
        params=choice.params,
        transform=choice.transform,
        layer=[
            vl.spread("area", own, "low", "high", known, opacity=0.18),
            vl.layer("line", own, known, strokeWidth=1.75),
            vl.layer("point", marked, "datum.reach == 'samples'", filled=True, **look),
            vl.layer("point", marked, "datum.reach == 'tail'", filled=False, **look),
        ],
    )


PLOT = Plot(
    name="noise_cost",
    order=67,
    title="What noise costs on more ranks",
    shows=(
        "How many times as long phases of computation take whose ranks then wait for the slowest, "
        "against the number of ranks, both axes logarithmic, with 95 % bands: for phases of "
        "several lengths, and ranks that are hit independently. Filled symbols rest on as many "
        "phases as were seen, hollow ones on a tail that is fitted to them; curves end where "
        "neither says anything. Where there are several figures, one can be chosen."
    ),
    data=_data,
    draw=_draw,
)
