"""The report: one HTML file that needs nothing but a browser."""

from __future__ import annotations

import importlib.resources
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from leadline.errors import UserError
from leadline.model.run import Run
from leadline.model.samples import SampleSource
from leadline.model.summary import Analysis
from leadline.plugins import plugins
from leadline.report import view
from leadline.report.drawn import drawn_panels
from leadline.report.panels import Panel
from leadline.report.plot import Plot
from leadline.report.theme import VARIABLES, configuration, style_sheet
from leadline.report.vega import bundle, digest

if TYPE_CHECKING:
    from markupsafe import Markup

# What ends a script element or a line of JavaScript; JSON may write all of it as escapes.
_ESCAPES = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def write_report(path: Path, run: Run, analysis: Analysis, source: SampleSource) -> None:
    """Write the report to `path`, all of it or nothing.

    Raises `UserError` when the file cannot be written.
    """
    page = render(run, analysis, source)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        try:
            temporary.write_text(page, encoding="utf-8")
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise UserError(
            f"report {str(path)!r} cannot be written ({error.strerror}): name a file in a folder "
            "that exists and that you may write to"
        ) from None


def render(run: Run, analysis: Analysis, source: SampleSource) -> str:
    """Return the report as HTML with everything it needs inside: styles, scripts and data."""
    import jinja2

    folder = importlib.resources.files("leadline.report") / "page"

    def text(name: str) -> str:
        return (folder / name).read_text(encoding="utf-8")

    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(text),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["embed"] = embed
    drawn = drawn_panels(run, analysis, source)
    vega = bundle()
    script = text("page.js")
    return environment.get_template("page.html").render(
        run=run,
        analysis=analysis,
        view=view,
        benchmarks=_benchmarks(run, analysis, drawn),
        glance=view.glance(analysis, drawn),
        figures=view.figures(analysis, drawn),
        disturbing=[check for check in run.doctor if check.get("status") in ("warn", "bad")],
        methods=sorted({point.ci95_method for point in analysis.points}),
        style=_raw(style_sheet()),
        configuration=configuration(VARIABLES),
        script=_raw(script),
        vega=vega,
        policy=(
            f"default-src 'none'; script-src '{digest(script.encode())}' '{vega.digest}'; "
            "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
        ),
    )


def embed(value: Any) -> Markup:
    """Return JSON that no text in `value` can break out of when it stands in a script element.

    Numbers that JSON does not have become null.
    """
    return _raw(msgspec.json.encode(value).decode().translate(_ESCAPES))


def _raw(text: str) -> Markup:
    from markupsafe import Markup

    return Markup(text)


def _benchmarks(run: Run, analysis: Analysis, drawn: tuple[Panel, ...]) -> list[dict[str, Any]]:
    """Return a section for each benchmark measured: its words, its panels and their charts."""
    plots = sorted(plugins("leadline.report.plots", "PLOT"), key=lambda plot: plot.order)
    known = {benchmark.name: benchmark for benchmark in run.benchmarks}
    sections = []
    for name in dict.fromkeys(panel.benchmark for panel in drawn):
        own = [panel for panel in drawn if panel.benchmark == name]
        sections.append(
            {
                "name": name,
                "description": known.get(name),
                "conditions": view.conditions(own, analysis),
                "panels": [
                    {
                        "panel": panel,
                        "charts": [_chart(plot, panel) for plot in plots if plot.applies(panel)],
                    }
                    for panel in own
                ],
            }
        )
    return sections


def _chart(plot: Plot, panel: Panel) -> dict[str, Any]:
    identifier = f"{panel.identifier}-{plot.name}"
    described = f"{plot.title}: {panel.benchmark}, {panel.title}. {plot.shows}"
    return {
        "identifier": identifier,
        "plot": plot,
        "file": f"{panel.benchmark}-{panel.series}-{plot.name}".replace("/", "-") + ".csv",
        "specification": {"description": described, **plot.specification(panel)},
    }
