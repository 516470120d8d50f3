"""Which task was slow when."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from leadline.analysis.jitter.jitter import is_steady
from leadline.analysis.samples import PointSamples
from leadline.output.html import vegalite as vl
from leadline.output.html.panels import Panel, Row
from leadline.output.html.plot import Plot
from leadline.output.html.plots.calls import kept_rows
from leadline.output.html.thinning import short

# What keeps a page near a megabyte: cells of a map.
_RANKS, _BLOCKS = 24, 40


def _longest_times(samples: PointSamples) -> Iterator[tuple[int, Row]]:
    """Yield a row of lists: the longest time over its rank's median, of ranks and calls."""
    if not is_steady(samples.run, samples.point):
        return
    for index, launches in samples.attributed.items():
        relative = np.concatenate(
            [part.seconds / np.median(part.seconds, axis=0) for part in launches]
        )
        ranks = launches[0].ranks
        blocks = np.array_split(np.arange(len(relative)), min(_BLOCKS, len(relative)))
        shared = np.array_split(np.arange(len(ranks)), min(_RANKS, len(ranks)))
        cells = [
            (ranks[int(some[0])], int(block[0]), relative[block][:, some].max())
            for some in shared
            for block in blocks
        ]
        rank, call, value = zip(*cells, strict=True)
        yield index, {"rank": list(rank), "call": list(call), "relative": short(value)}


def _draw(panel: Panel, rows: list[Row]) -> vl.Specification:
    ranks = max(len(set(row["rank"])) for row in rows)
    choice = vl.chooser("figure", [row["figure"] for row in rows])
    labels: dict[str, Any] = {"labelOverlap": "greedy", "grid": False}
    call = "from call, all launches in a row"
    return vl.chart(
        rows,
        *("figure", "rank", "call", "relative"),
        height=max(60, 16 * ranks),
        params=choice.params,
        transform=[*choice.transform, {"flatten": ["rank", "call", "relative"]}],
        mark={"type": "rect"},
        encoding={
            "x": vl.axis("call", call, kind="ordinal", labelAngle=0, **labels),
            "y": vl.axis("rank", "rank", kind="ordinal", **labels),
            "color": vl.heat("over its median"),
            "tooltip": vl.tooltip(
                rank="from rank", call="from call", relative="longest over the rank's median"
            ),
        },
    )


PLOT = Plot(
    name="task_map",
    order=62,
    title="Which task was slow when",
    steadiness=True,
    shows=(
        "For each rank (or a few neighbouring ones) and stretch of calls, the longest time over "
        "the rank's median. A bright row is a slow rank, a bright column a disturbance of all, a "
        "slanted line a delay that neighbours pass on."
    ),
    data=lambda panel, data: kept_rows("task_map", panel, data),
    draw=_draw,
    keep=lambda run, whole_page: _longest_times,
)
