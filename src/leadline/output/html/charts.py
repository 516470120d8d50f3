"""The charts of a run: panels, and what each plot draws on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from leadline.analysis.samples import show_samples
from leadline.model.run import Run
from leadline.model.samples import SampleSource
from leadline.model.summary import Analysis
from leadline.output.html.panels import Panel, panels
from leadline.output.html.plot import Plot
from leadline.output.html.plots import PLOTS
from leadline.output.html.report_data import KeptSamples, ReportData


class Chart(NamedTuple):
    """A plot, and a panel on which it draws something."""

    plot: Plot
    panel: Panel


def sample_collector(run: Run, whole_page: bool = True) -> KeptSamples:
    """Return what takes from the samples of a run, as they are read, what plots draw of them.

    A chart that does not share a page with all others may show more samples.
    """
    return KeptSamples({plot.name: plot.keep(run, whole_page) for plot in PLOTS if plot.keep})


def keep_samples(run: Run, source: SampleSource) -> KeptSamples:
    """Read the samples of a run that is analysed already; return what the plots of a page draw."""
    kept = sample_collector(run)
    show_samples(run, source, [kept])
    return kept


def panels_with_data(run: Run, analysis: Analysis, kept: KeptSamples) -> tuple[Panel, ...]:
    """Return the panels of a run, and those of plots that have their own, with what is drawn."""
    data = ReportData(run, analysis, kept, panels(run, analysis))
    return (
        *(with_data(panel, data) for panel in data.panels),
        *(panel for plot in PLOTS if plot.panels for panel in plot.panels(data)),
    )


def with_data(panel: Panel, data: ReportData) -> Panel:
    """Return the panel with what each plot draws on it."""
    drawn = {plot.name: plot.data(panel, data) for plot in PLOTS if plot.data}
    return replace(panel, data={**panel.data, **{name: own for name, own in drawn.items() if own}})


def main_panels(run: Run, analysis: Analysis) -> tuple[Panel, ...]:
    """Return the panels of a run with what is drawn of its figures alone, without samples."""
    return tuple(panel for panel in panels_with_data(run, analysis, KeptSamples()) if panel.figures)


def charts(panels: Sequence[Panel]) -> list[Chart]:
    """Return each panel with each plot that draws something on it."""
    return [Chart(plot, panel) for panel in panels for plot in PLOTS if plot.applies(panel)]
