"""The charts of a run, and the sections of a page that hold them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from leadline.analysis.samples import show_samples
from leadline.model.run import Run
from leadline.model.samples import SampleSource
from leadline.model.summary import Analysis
from leadline.output.html import tables, view
from leadline.output.html.panels import Panel, panels
from leadline.output.html.plot import Plot
from leadline.output.html.plots import PLOTS
from leadline.output.html.report_data import KeptSamples, ReportData
from leadline.output.html.vegalite import Specification
from leadline.output.table import Table


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


def charts(panels: Sequence[Panel]) -> list[Chart]:
    """Return each panel with each plot that draws something on it."""
    return [Chart(plot, panel) for panel in panels for plot in PLOTS if plot.applies(panel)]


Section = dict[str, Any]


def families(run: Run, analysis: Analysis, drawn: Sequence[Panel]) -> list[Section]:
    """Return a section for each family: the part of a benchmark's name before the slash."""
    known = {benchmark.name: benchmark for benchmark in run.benchmarks}
    return by_family(
        drawn,
        lambda panel: part(panel, tables.figures(analysis, panel), view.notes(analysis, panel)),
        summary=lambda name: known[name].summary if name in known else "",
        conditions=lambda own: view.conditions(own, analysis),
    )


def by_family(
    drawn: Sequence[Panel],
    make: Callable[[Panel], Section],
    summary: Callable[[str], str] = lambda name: "",
    conditions: Callable[[Sequence[Panel]], Sequence[tuple[str, str]]] = lambda own: (),
    prefix: str = "",
) -> list[Section]:
    """Return the panels in sections by family and benchmark, each panel as `make` has it.

    Identifiers of sections begin with `prefix`.
    """
    names = list(dict.fromkeys(panel.benchmark for panel in drawn))
    found: dict[str, list[Section]] = {}
    for position, name in enumerate(names, 1):
        own = [panel for panel in drawn if panel.benchmark == name]
        family, _, short = name.rpartition("/")
        found.setdefault(family.partition("/")[0], []).append(
            {
                "name": name,
                "short": short,
                "identifier": f"{prefix}benchmark-{position}",
                "summary": summary(name),
                "conditions": conditions(own),
                "panels": [make(panel) for panel in own],
            }
        )
    return [
        {"name": family or "others", "identifier": f"{prefix}family-{position}", "benchmarks": own}
        for position, (family, own) in enumerate(found.items(), 1)
    ]


def part(panel: Panel, sheet: Table | None = None, notes: Sequence[str] = ()) -> Section:
    """Return the panel with its charts, its table, and what is to be said of it."""
    drawn = [_chart(plot, panel) for plot in PLOTS if plot.applies(panel)]
    return {
        "panel": panel,
        "charts": [chart for chart in drawn if not chart["plot"].steadiness],
        "steadiness": [chart for chart in drawn if chart["plot"].steadiness],
        "sheet": sheet,
        "notes": notes,
    }


def parts(families: Sequence[Section]) -> list[Section]:
    """Return the panels of all families, as `part` made them."""
    return [
        part
        for family in families
        for benchmark in family["benchmarks"]
        for part in benchmark["panels"]
    ]


def specifications(parts: Sequence[Section]) -> dict[str, Specification]:
    """Return the specification of each chart by the identifier of the chart."""
    return {
        chart["identifier"]: chart["specification"]
        for part in parts
        for chart in (*part["charts"], *part["steadiness"])
    }


def _chart(plot: Plot, panel: Panel) -> Section:
    return {
        "identifier": f"{panel.identifier}-{plot.name}",
        "plot": plot,
        "specification": {"description": plot.describe(panel), **plot.specification(panel)},
    }
