"""Who may ask for what: a browser on this machine, to read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment
    from werkzeug.wrappers import Response

# Charts set styles on what they draw, and Vega brings a style element: styles alone are free.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}

_METHODS = ("GET", "HEAD")


def hosts(port: int) -> frozenset[str]:
    """Return what a browser on this machine may call a server on `port`."""
    names = ("127.0.0.1", "localhost", "[::1]")
    return frozenset(f"{name}:{port}" for name in names) | frozenset(names if port == 80 else ())


def guarded(application: WSGIApplication, allowed: Collection[str]) -> WSGIApplication:
    """Return `application` behind all checks of a request, and with the headers of safety.

    `allowed` are the hosts that a request may name: a page elsewhere whose name was bound to this
    machine's address (DNS rebinding) names its own.
    """

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        chosen = _refusal(environ, allowed) or application

        def start(status: str, headers: list[tuple[str, str]], *rest: Any) -> Callable[..., Any]:
            named = {name.lower() for name, _ in headers}
            added = [(name, text) for name, text in HEADERS.items() if name.lower() not in named]
            return start_response(status, headers + added, *rest)

        return chosen(environ, start)

    return answer


def _refusal(environ: WSGIEnvironment, allowed: Collection[str]) -> Response | None:
    from werkzeug.wrappers import Response

    if environ.get("HTTP_HOST", "").lower() not in allowed:
        return Response("This server answers to its own address only.\n", 403)
    if environ["REQUEST_METHOD"] not in _METHODS:
        headers = {"Allow": ", ".join(_METHODS)}
        return Response("Runs can be read here, and nothing else.\n", 405, headers)
    if not environ.get("REQUEST_URI", "/").startswith("/"):
        return Response("Ask for a path.\n", 400)
    # A page elsewhere may link here, but not load anything from here into itself.
    foreign = environ.get("HTTP_SEC_FETCH_SITE") == "cross-site"
    if foreign and environ.get("HTTP_SEC_FETCH_MODE") != "navigate":
        return Response("Other sites may not load what is here.\n", 403)
    return None
