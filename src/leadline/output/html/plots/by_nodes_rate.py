"""What a node sends a second against the number of nodes, by MAX and by AVG of calls."""

from leadline.output.html import vegalite as vl
from leadline.output.html.panels import Panel, Row
from leadline.output.html.plot import Plot
from leadline.output.html.plots.by_nodes import draw_by_nodes


def _draw(panel: Panel, rows: list[Row]) -> vl.Specification:
    return draw_by_nodes(panel, [row for row in rows if row["GBps"]], "GBps", "GB/s a node")


PLOT = Plot(
    name="by_nodes_rate",
    order=71,
    title="GB/s a node against the number of nodes",
    shows=(
        "What the tasks of a node send in a call over the slowest task's time (MAX, drawn through) "
        "and over the average task's (AVG, dashed), in 10⁹ bytes a second, both axes logarithmic."
    ),
    draw=_draw,
)
