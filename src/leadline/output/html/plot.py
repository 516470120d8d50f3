"""What a plot is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from leadline.model.run import Run
from leadline.output.html.panels import Panel
from leadline.output.html.report_data import Keep, ReportData
from leadline.output.html.vegalite import Specification


class Plot(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of chart, with the data that it draws.

    `data` returns what the plot draws on a panel, None where it has nothing to draw there; `panels`
    returns panels of its own, with their data. `draw` turns a panel and that data into a Vega-Lite
    specification; its top-level `data.values` is what `--plot` writes as CSV.
    `shows` says in words what is drawn, for the caption and for those who cannot see the chart.
    A page keeps plots of `steadiness`, which tell how far to trust the figures, closed.

    A plot of samples has `keep`: for a run, and whether the chart shares a page with all others, it
    returns a function that takes from the samples of each point what `ReportData.kept` returns.
    """

    name: str
    title: str
    shows: str
    draw: Callable[[Panel, Any], Specification]
    data: Callable[[Panel, ReportData], Any] | None = None
    panels: Callable[[ReportData], Iterable[Panel]] | None = None
    keep: Callable[[Run, bool], Keep] | None = None
    steadiness: bool = False

    def applies(self, panel: Panel) -> bool:
        """Tell whether the plot draws something on a panel."""
        return self.name in panel.data

    def specification(self, panel: Panel) -> Specification:
        """Return the chart of a panel to which the plot applies."""
        return self.draw(panel, panel.data[self.name])

    def describe(self, panel: Panel) -> str:
        """Return what the chart of a panel shows, in words."""
        return f"{self.title}: {panel.benchmark}, {panel.title}. {self.shows}"
