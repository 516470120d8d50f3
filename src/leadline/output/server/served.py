"""What addresses answer from, and what goes back: pages, reports, files and JSON."""

from __future__ import annotations

import gzip
import importlib.resources
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import msgspec
from msgspec.structs import replace

from leadline import __version__
from leadline.core.errors import UserError
from leadline.model.run import Run
from leadline.model.summary import Analysis
from leadline.output.html.document import embed, with_micro_sign
from leadline.output.html.theme import VARIABLES, configuration, style_sheet
from leadline.output.server.answers import Answers
from leadline.output.server.catalogue import Catalogue, Entry, printable
from leadline.output.server.jobs import Jobs
from leadline.output.server.listing import MOST, Selection, select
from leadline.output.server.results import Explain, Report, Results, Watch

if TYPE_CHECKING:
    from werkzeug.wrappers import Request, Response

# What most pages have none of.
_NOTHING: dict[str, Any] = {
    "links": {},
    "is_running": False,
    "lead": "",
    "charts": None,
    "notes": (),
    "empty": "",
}

Describe = Callable[[Run, Path, Analysis], dict[str, Any]]


class Missing(UserError):
    """There is nothing of that name."""


class Address(NamedTuple):
    """An address, as werkzeug's rules have it, and what answers a request of it.

    `answer` gets what is served, the request, and by name what the rule says. It raises `Missing`,
    and `UserError` for what cannot be shown. One that `waits` may take long: it makes figures.
    """

    rule: str
    answer: Callable[..., Response]
    waits: bool = False


class Served:
    """The runs in a folder, with what takes time kept, and templates that show them.

    The parameters are those of `leadline.output.server.application.Application`.
    """

    def __init__(
        self, runs: Path, describe: Describe, explain: Explain, watch: Watch, jobs: Jobs | None
    ) -> None:
        self.catalogue = Catalogue(runs)
        self.results = Results(explain, watch)
        self.answers = Answers(self.results.answered)
        self.describe = describe
        self.jobs = jobs
        pages = {"/": "Runs", "/nights": "Nights"}
        sources = folder = printable(str(runs))
        if jobs:
            pages = {"/jobs": "Jobs", **pages}
            sources = f"{printable(str(jobs.folder))} and {folder}"
        self._templates = _templates()
        self._templates.globals.update(
            version=__version__,
            folder=folder,
            sources=sources,
            pages=pages,
            configuration=configuration(VARIABLES),
        )

    def selection(self, arguments: Mapping[str, str], most: int = MOST) -> Selection:
        """Return the runs that are asked for, with answers also where no command has made them."""
        entries = self.catalogue.entries()
        found = select([entry.listed for entry in entries.values()], arguments, most)
        made = self.answers.missing([entries[run.run] for run in found.runs])
        return replace(found, runs=tuple(made.get(run.run, run) for run in found.runs))

    def entry(self, name: str) -> Entry:
        """Return a run that can be read. Raises `Missing`, or `UserError` for a damaged one."""
        entry = self.catalogue.entries().get(name)
        if entry is None:
            raise Missing(f"There is no run {cut(name, 80)!r}.")
        if entry.listed.state == "unreadable":
            raise UserError(f"{name}: {entry.listed.message}")
        return entry

    def page(self, template: str, status: int = 200, here: str = "", **values: Any) -> Response:
        """Return a page: `here` is the address in its menu that it belongs to."""
        from werkzeug.wrappers import Response

        text = self._templates.get_template(f"{template}.html").render(_NOTHING | values, here=here)
        return Response(
            text.encode("utf-8", "replace"), status, content_type="text/html; charset=utf-8"
        )

    def menu(self, here: str, links: Mapping[str, str], is_running: bool = False) -> str:
        """Return the menu above a report, with `links` to what has to do with it."""
        menu = self._templates.get_template("menu.html")
        text: str = menu.render(here=here, links=links, is_running=is_running)
        return text


def _templates() -> Any:
    """Return the environment of the pages' templates; those of the report are there too.

    Where both have a name, the report's is under `report/`.
    """
    import jinja2

    report = jinja2.PackageLoader("leadline.output.html", "page")
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [
                jinja2.PackageLoader("leadline.output.server", "pages"),
                jinja2.PrefixLoader({"report": report}),
                report,
            ]
        ),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=with_micro_sign,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters.update(embed=embed, part=part, when=when, cut=cut, few=few)
    return environment


def files() -> dict[str, tuple[bytes, str]]:
    """Return what is handed out by name, in gzip, and its type."""
    own = importlib.resources.files("leadline.output.server") / "pages"
    report = importlib.resources.files("leadline.output.html") / "page"
    texts = {"page.css": style_sheet()}
    for folder, names in ((own, ("serve.css", "charts.js")), (report, ("sort.js", "copy.js"))):
        texts |= {name: (folder / name).read_text(encoding="utf-8") for name in names}
    kinds = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}
    return {
        name: (gzip.compress(text.encode(), mtime=0), kinds[name.rsplit(".", 1)[1]])
        for name, text in texts.items()
    }


def json(value: Any, status: int = 200) -> Response:
    """Return what a program is told."""
    from werkzeug.wrappers import Response

    return Response(msgspec.json.encode(value), status, content_type="application/json")


def packed(request: Request, compressed: bytes, kind: str) -> Response:
    """Return what was compressed with gzip, as it is to who can read that."""
    from werkzeug.wrappers import Response

    readable = request.accept_encodings["gzip"] > 0
    response = Response(compressed if readable else gzip.decompress(compressed), content_type=kind)
    response.headers["Vary"] = "Accept-Encoding"
    if readable:
        response.headers["Content-Encoding"] = "gzip"
    return response


def report_page(request: Request, report: Report) -> Response:
    """Return a page that has all it needs inside, under the policy that it was made for."""
    response = packed(request, report.compressed, "text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = f"{report.policy}; frame-ancestors 'none'"
    return response


def part(name: str) -> str:
    """Return a name as a part of an address."""
    return quote(name, safe="")


def run_address(run: str) -> str:
    """Return the address of a run."""
    return f"/runs/{part(run)}"


def marked(template: str, *texts: str) -> str:
    """Return a template of HTML with texts and links filled in, for a cell of a table."""
    from markupsafe import Markup

    return Markup(template).format(*texts)


def link(text: str, address: str, is_current: bool = False) -> str:
    """Return a link for a cell of a table."""
    current = ' aria-current="true"' if is_current else ""
    return marked(f'<a href="{{}}"{current}>{{}}</a>', address, text)


def run_link(run: str) -> str:
    """Return a link to a run for a cell of a table, nothing where there is no run."""
    return link(run, run_address(run)) if run else ""


def when(started: str | None) -> str:
    """Return a time as people read it; what is none stays as it is, cut short.

    >>> when("2026-11-21T14:08:55.123+00:00")
    '2026-11-21 14:08'
    """
    if not started:
        return "-"
    try:
        return f"{datetime.fromisoformat(started):%Y-%m-%d %H:%M}"
    except ValueError:
        return cut(started, 24)


def cut(text: str, length: int) -> str:
    """Return `text` with at most so many signs."""
    return text if len(text) <= length else text[: length - 1] + "…"


def few(texts: Sequence[str], most: int = 3) -> str:
    """Return the first texts, and how many more there are.

    >>> few(["a", "b", "c", "d"])
    'a, b, c and 1 more'
    """
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return f"{cut(', '.join(texts[:most]), 120)}{more}"
