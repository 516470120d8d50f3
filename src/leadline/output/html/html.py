"""The report: one HTML file that needs nothing but a browser."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from leadline.model.comparison import Comparison
from leadline.model.run import Run
from leadline.model.summary import Analysis
from leadline.output.html import comparison, view
from leadline.output.html.charts import families, panels_with_data, part, parts, specifications
from leadline.output.html.document import document, write_document
from leadline.output.html.report_data import KeptSamples
from leadline.output.html.tables import glance, import_sheets, origin
from leadline.output.html.theme import VARIABLES, configuration
from leadline.output.html.vega import bundle
from leadline.output.html.verdict import PICTURE, picture, screen
from leadline.output.run_tables import missing_table

# Parts of one script, in which all names are known to all.
SCRIPTS = ("common.js", "charts.js", "sort.js", "copy.js", "page.js")

# A page of more panels begins with its sections closed.
_OPEN_PANELS = 8
_OPEN_FIGURES = 60


def write_report(path: Path, run: Run, analysis: Analysis, kept: KeptSamples) -> None:
    """Write the report to `path`, all of it or nothing.

    `kept` is what `charts.sample_collector` has taken from the samples.
    Raises `UserError` when the file cannot be written.
    """
    write_document(path, render(run, analysis, kept))


def write_comparison(
    path: Path, comparisons: Sequence[Comparison], runs: Sequence[Run] = ()
) -> None:
    """Write a page of comparisons side by side to `path`, all of it or nothing.

    `runs` are those compared: what their series mean is taken from them.
    Raises `UserError` when the file cannot be written.
    """
    write_document(path, render_comparison(comparisons, runs))


def render(run: Run, analysis: Analysis, kept: KeptSamples) -> str:
    """Return the report as HTML with everything it needs inside: styles, scripts and data."""
    drawn = panels_with_data(run, analysis, kept)
    published = [part(panel) for panel in drawn if "generations" in panel.data]
    sections = families(
        run, analysis, [panel for panel in drawn if "generations" not in panel.data]
    )
    first = screen(run, analysis)
    beside = picture(run, first.verdict.headlines, [panel for panel in drawn if panel.figures])
    return _page(
        "run.html",
        view.title(run, analysis),
        screen=first,
        picture=beside,
        picture_name=PICTURE,
        run=run,
        analysis=analysis,
        view=view,
        questions=view.questions(analysis, drawn),
        families=sections,
        open=len(drawn) <= _OPEN_PANELS or len({each.benchmark for each in drawn}) == 1,
        glance=glance(analysis, drawn),
        missing=missing_table(analysis.missing),
        disturbing=view.disturbing(run),
        methods=sorted({point.ci95_method for point in analysis.points if point.interval}),
        statistics=view.statistics(analysis),
        origin=origin(run.imported) if run.imported else [],
        imported_sheets=import_sheets(run.imported) if run.imported else [],
        published=published,
        specifications={
            **specifications([*parts(sections), *published]),
            **({PICTURE: beside[1]} if beside else {}),
        },
    )


def render_comparison(comparisons: Sequence[Comparison], runs: Sequence[Run] = ()) -> str:
    """Return the comparisons as HTML with everything it needs inside."""
    sections = [
        comparison.section(each, number, runs) for number, each in enumerate(comparisons, 1)
    ]
    if len(sections) > 1:
        for section in sections:
            for family in section["families"]:
                family["name"] = f"{family['name']}: {section['title']}"
    every = [family for section in sections for family in section["families"]]
    return _page(
        "comparison.html",
        ", ".join(section["title"] for section in sections),
        comparisons=sections,
        families=every,
        specifications=specifications(parts(every)),
        open=sum(len(each.figures) for each in comparisons) <= _OPEN_FIGURES,
    )


def _page(name: str, title: str, **values: Any) -> str:
    vega = bundle()
    return document(
        name,
        title,
        SCRIPTS,
        digests=(vega.digest,),
        configuration=configuration(VARIABLES),
        vega=vega,
        **values,
    )
