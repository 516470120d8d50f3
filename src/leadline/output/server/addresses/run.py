"""`/runs/NAME`: one run, or one recording of a program, and its report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from leadline.output.html import view
from leadline.output.html.charts import main_panels
from leadline.output.html.verdict import PICTURE, picture, screen
from leadline.output.run_tables import missing_table
from leadline.output.server import rows
from leadline.output.server.catalogue import Entry
from leadline.output.server.responses import json, own_page
from leadline.output.server.served import (
    PAGE_PATIENCE_S,
    PROGRAM_PATIENCE_S,
    Address,
    Served,
)

if TYPE_CHECKING:
    from werkzeug.wrappers import Request, Response


def _page(served: Served, request: Request, name: str) -> Response:
    entry = served.entry(name)
    if entry.recording:
        return _recording(served, entry)
    with served.patience(PAGE_PATIENCE_S) as patience:
        opened = served.results.opened(entry, patience)
    first = screen(opened.run, opened.analysis)
    beside = picture(opened.run, first.verdict.headlines, main_panels(opened.run, opened.analysis))
    return served.page(
        "run",
        listed=entry.listed,
        analysis=opened.analysis,
        run=opened.run,
        title=view.title(opened.run, opened.analysis),
        story=view.story(opened.run, opened.analysis),
        screen=first,
        picture=beside,
        picture_name=PICTURE,
        charts=bool(beside),
        questions=view.questions(opened.analysis, ()),
        disturbing=view.disturbing(opened.run),
        figures=rows.figures(opened),
        missing=missing_table(opened.analysis.missing),
    )


def _recording(served: Served, entry: Entry) -> Response:
    from leadline.output.html.program import content

    with served.patience(PAGE_PATIENCE_S) as patience:
        found = served.recordings.explained(entry, patience)
    title = ", ".join(entry.listed.benchmarks)
    return served.page("recording", listed=entry.listed, title=title, shown=content(found))


def _report(served: Served, request: Request, name: str) -> Response:
    entry = served.entry(name)
    made = served.recordings if entry.recording else served.results
    with served.patience(PAGE_PATIENCE_S) as patience:
        return own_page(request, made.report(entry, patience))


def _api(served: Served, request: Request, name: str) -> Response:
    entry = served.entry(name)
    with served.patience(PROGRAM_PATIENCE_S) as patience:
        if entry.recording:
            return json(served.recordings.explained(entry, patience))
        opened = served.results.opened(entry, patience)
    return json(served.describe(opened.run, Path(entry.listed.folder), opened.analysis))


ADDRESSES = (
    Address("/runs/<name>", _page),
    Address("/runs/<name>/report", _report),
    Address("/api/runs/<name>", _api),
)
