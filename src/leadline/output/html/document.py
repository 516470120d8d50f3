"""One HTML file with everything it needs inside: how any page is made and written."""

from __future__ import annotations

import base64
import gzip
import importlib.resources
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from leadline import __version__
from leadline.core.errors import UserError
from leadline.core.extras import require
from leadline.core.units import format_figure, percent
from leadline.output.html.theme import style_sheet
from leadline.output.html.vega import digest

if TYPE_CHECKING:
    from markupsafe import Markup

_MICROSECONDS = re.compile(r"(?<=\d) us\b")

# What ends a script element or a line of JavaScript; JSON may write all of it as escapes.
_ESCAPES = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def write_document(path: Path, page: str) -> None:
    """Write the page to `path`, all of it or nothing.

    Raises `UserError` when the file cannot be written.
    """
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


def document(
    name: str,
    title: str,
    scripts: Sequence[str],
    digests: Sequence[str] = (),
    styles: Sequence[str] = (),
    **values: Any,
) -> str:
    """Return the page that the template `name` makes of the values.

    `scripts` are files of one module, in which all names are known to all. Other scripts run only
    if their digest is among `digests`. `styles` are files beside the style sheet of all pages.
    """
    require("report")
    import jinja2

    folder = importlib.resources.files("leadline.output.html") / "page"

    def text(name: str) -> str:
        return (folder / name).read_text(encoding="utf-8")

    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(text),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=with_micro_sign,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["embed"] = embed
    environment.globals |= {"packed": packed, "figure": format_figure, "percent": percent}
    script = "\n".join(map(text, scripts))
    allowed = " ".join(f"'{each}'" for each in (digest(script.encode()), *digests))
    return environment.get_template(name).render(
        title=title,
        version=__version__,
        style=raw("\n".join((style_sheet(), *map(text, styles)))),
        script=raw(script),
        policy=(
            f"default-src 'none'; script-src {allowed}; "
            "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
        ),
        **values,
    )


def embed(value: Any) -> Markup:
    """Return JSON that no text in `value` can break out of when it stands in a script element.

    Numbers that JSON does not have become null.
    """
    return raw(msgspec.json.encode(value).decode().translate(_ESCAPES))


def packed(value: Any) -> str:
    """Return the JSON of `value`, compressed, in letters that mean nothing in HTML.

    Hundreds of charts are alike, so that they shrink to a tenth.
    """
    return base64.b64encode(gzip.compress(msgspec.json.encode(value), mtime=0)).decode()


def with_micro_sign(value: Any) -> Any:
    """Return what a page prints with times in `µs`, which terminals and JSON write `us`."""
    return _MICROSECONDS.sub(" µs", value) if type(value) is str else value


def raw(text: str) -> Markup:
    """Return text that stands in the page as it is."""
    from markupsafe import Markup

    return Markup(text)
