"""Who may ask for what: whoever was told the token, from this machine, to read."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

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
_PARAMETER = "token"


def hosts(port: int) -> frozenset[str]:
    """Return what a browser on this machine may call a server on `port`."""
    names = ("127.0.0.1", "localhost", "[::1]")
    return frozenset(f"{name}:{port}" for name in names) | frozenset(names if port == 80 else ())


def entrance(port: int, token: str, page: str) -> str:
    """Return the address of a page that lets a browser in, which keeps the token as a cookie."""
    return f"http://127.0.0.1:{port}{page}?{_PARAMETER}={token}"


def guarded(application: WSGIApplication, port: int, token: str) -> WSGIApplication:
    """Return `application` behind all checks of a request, and with the headers of safety.

    The hosts that a request may name are this machine's: a page elsewhere whose name was bound to
    its address (DNS rebinding) names its own. All who are logged in here reach the port, and only
    those who have the token get an answer.
    """
    allowed = hosts(port)
    # Servers on other ports of this machine get all cookies.
    cookie = f"leadline-{port}"

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        chosen = _refusal(environ, allowed) or _unless_known(environ, cookie, token) or application

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


def _unless_known(environ: WSGIEnvironment, cookie: str, token: str) -> Response | None:
    """Return the answer to a request that brings no token, or brings it in its address.

    There it would stay in the history of the browser, and in what others are sent: a cookie takes
    its place.
    """
    from werkzeug.urls import iri_to_uri
    from werkzeug.wrappers import Request, Response

    request = Request(environ)
    if _same(request.args.get(_PARAMETER), token):
        rest = [(name, text) for name, text in request.args.items(multi=True) if name != _PARAMETER]
        query = f"?{urlencode(rest)}" if rest else ""
        answer = Response("", 303, {"Location": iri_to_uri(f"{request.base_url}{query}")})
        answer.set_cookie(cookie, token, httponly=True, samesite="Lax")
        return answer
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if _same(request.cookies.get(cookie), token) or (
        scheme.lower() == "bearer" and _same(given.strip(), token)
    ):
        return None
    return Response(
        "Open the address that `leadline serve` printed: it ends with the token of this server.\n"
        "Programs send the header `Authorization: Bearer TOKEN`.\n",
        401,
        {"WWW-Authenticate": "Bearer"},
    )


def _same(given: str | None, token: str) -> bool:
    return hmac.compare_digest((given or "").encode(), token.encode())
