"""`/static/NAME`: style sheets and scripts of the pages."""

from __future__ import annotations

import functools
import hashlib
from typing import TYPE_CHECKING

from leadline.output.server.responses import files, packed
from leadline.output.server.served import Address, Missing, Served

if TYPE_CHECKING:
    from werkzeug.wrappers import Request, Response

_files = functools.cache(files)


def _answer(served: Served, request: Request, name: str) -> Response:
    if name == "vega.js":
        content, kind = served.results.vega(), "text/javascript; charset=utf-8"
    elif name in _files():
        content, kind = _files()[name]
    else:
        raise Missing("There is no such file.")
    response = packed(request, content, kind)
    response.headers["Cache-Control"] = "no-cache"
    response.set_etag(hashlib.sha256(content).hexdigest()[:32])
    return response.make_conditional(request)


ADDRESSES = (Address("/static/<name>", _answer),)
