"""What goes back to a browser: templates, files and kinds of responses."""

from __future__ import annotations

import gzip
import importlib.resources
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec

from leadline.output.html.document import embed, with_micro_sign
from leadline.output.html.theme import style_sheet
from leadline.output.server import rows
from leadline.output.server.results import Report

if TYPE_CHECKING:
    from werkzeug.wrappers import Request, Response


def templates() -> Any:
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
    environment.filters.update(
        embed=embed, part=part, when=rows.when, cut=rows.cut, megabytes=rows.megabytes
    )
    return environment


def files() -> dict[str, tuple[bytes, str]]:
    """Return what is handed out by name, in gzip, and its type."""
    own = importlib.resources.files("leadline.output.server") / "pages"
    report = importlib.resources.files("leadline.output.html") / "page"
    texts = {"page.css": style_sheet()}
    for name in ("serve.css", "charts.js"):
        texts[name] = (own / name).read_text(encoding="utf-8")
    for name in ("sort.js", "copy.js", "program.css"):
        texts[name] = (report / name).read_text(encoding="utf-8")
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


def own_page(request: Request, report: Report) -> Response:
    """Return a page that has all it needs inside, under the policy that it was made for."""
    response = packed(request, report.compressed, "text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = f"{report.policy}; frame-ancestors 'none'"
    return response


def part(name: str) -> str:
    """Return a name as a part of an address."""
    return quote(name, safe="")
