"""The report: one HTML file that needs nothing but a browser."""

from __future__ import annotations

import base64
import gzip
import importlib.resources
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from leadline import __version__
from leadline.errors import UserError
from leadline.model.comparison import Comparison
from leadline.model.run import Run
from leadline.model.samples import SampleSource
from leadline.model.summary import Analysis
from leadline.report import comparison, imported, view
from leadline.report.drawn import drawn_panels
from leadline.report.sections import families, part, parts, specifications
from leadline.report.tables import glance
from leadline.report.theme import VARIABLES, configuration, style_sheet
from leadline.report.vega import bundle, digest

if TYPE_CHECKING:
    from markupsafe import Markup

# Parts of one script, in which all names are known to all.
_SCRIPTS = ("charts.js", "find.js", "page.js")

# A page of more panels begins with its sections closed.
_OPEN_PANELS = 8
_OPEN_FIGURES = 60

# What ends a script element or a line of JavaScript; JSON may write all of it as escapes.
_ESCAPES = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def write_report(path: Path, run: Run, analysis: Analysis, source: SampleSource) -> None:
    """Write the report to `path`, all of it or nothing.

    Raises `UserError` when the file cannot be written.
    """
    _write(path, render(run, analysis, source))


def _write(path: Path, page: str) -> None:
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


def write_comparison(
    path: Path, comparisons: Sequence[Comparison], runs: Sequence[Run] = ()
) -> None:
    """Write a page of comparisons side by side to `path`, all of it or nothing.

    `runs` are those compared: what their series mean is taken from them.
    Raises `UserError` when the file cannot be written.
    """
    _write(path, render_comparison(comparisons, runs))


def render(run: Run, analysis: Analysis, source: SampleSource) -> str:
    """Return the report as HTML with everything it needs inside: styles, scripts and data."""
    drawn = drawn_panels(run, analysis, source)
    sections = families(run, analysis, [panel for panel in drawn if not panel.generations])
    published = [part(panel) for panel in drawn if panel.generations]
    return _page(
        "run.html",
        run.run,
        run=run,
        analysis=analysis,
        view=view,
        findings=view.findings(analysis, drawn),
        severities=view.severities(analysis),
        families=sections,
        open=len(drawn) <= _OPEN_PANELS or len({each.benchmark for each in drawn}) == 1,
        glance=glance(analysis, drawn),
        disturbing=[check for check in run.doctor if check.get("status") in ("warn", "bad")],
        methods=sorted({point.ci95_method for point in analysis.points if point.interval}),
        statistics=view.statistics(analysis),
        origin=imported.origin(run.imported) if run.imported else [],
        imported_sheets=imported.sheets(run.imported) if run.imported else [],
        published=published,
        specifications=specifications([*parts(sections), *published]),
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
    """Return the page that the template `name` makes of the values."""
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
    environment.globals["packed"] = packed
    vega = bundle()
    script = "\n".join(map(text, _SCRIPTS))
    return environment.get_template(name).render(
        title=title,
        version=__version__,
        style=_raw(style_sheet()),
        configuration=configuration(VARIABLES),
        script=_raw(script),
        vega=vega,
        policy=(
            f"default-src 'none'; script-src '{digest(script.encode())}' '{vega.digest}'; "
            "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
        ),
        **values,
    )


def embed(value: Any) -> Markup:
    """Return JSON that no text in `value` can break out of when it stands in a script element.

    Numbers that JSON does not have become null.
    """
    return _raw(msgspec.json.encode(value).decode().translate(_ESCAPES))


def packed(value: Any) -> str:
    """Return the JSON of `value`, compressed, in letters that mean nothing in HTML.

    Hundreds of charts are alike, so that they shrink to a tenth.
    """
    return base64.b64encode(gzip.compress(msgspec.json.encode(value), mtime=0)).decode()


def _raw(text: str) -> Markup:
    from markupsafe import Markup

    return Markup(text)
