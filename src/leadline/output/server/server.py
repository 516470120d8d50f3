"""Listening on this machine's own addresses until it is interrupted."""

from __future__ import annotations

import logging
import secrets
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from leadline.core.errors import UserError
from leadline.output.server.application import Application
from leadline.output.server.guard import entrance, guarded
from leadline.output.server.jobs import Jobs
from leadline.output.server.results import Explain, Watch
from leadline.output.server.served import Describe

_THREADS = 12
_WAITERS = 8
_HEADER_BYTES = 16 * 1024
_BODY_BYTES = 1024


def serve(
    runs: Path,
    port: int,
    describe: Describe,
    ready: Callable[[str], None],
    explain: Explain | None = None,
    watch: Watch | None = None,
    jobs: Jobs | None = None,
) -> None:
    """Answer requests until an interrupt; `ready` gets the address when they are answered.

    Its token is a new one each time, and only requests that bring it are answered.

    `describe`, `explain`, `watch` and `jobs` are as `Application` takes them: jobs are shown first.
    A `port` of 0 is any that is free. Raises `UserError` when the port is taken.
    """
    from waitress import create_server

    sockets = _listen(port)
    port = sockets[0].getsockname()[1]
    # Its own lines say that a queue has grown, which is for nobody.
    logging.getLogger("waitress").setLevel(logging.CRITICAL)
    token = secrets.token_urlsafe(16)
    application = Application(runs, describe, _WAITERS, explain, watch, jobs)
    server = create_server(
        guarded(application, port, token),
        sockets=sockets,
        threads=_THREADS,
        ident=None,
        max_request_header_size=_HEADER_BYTES,
        max_request_body_size=_BODY_BYTES,
        channel_timeout=30,
        asyncore_use_poll=True,
        clear_untrusted_proxy_headers=True,
    )
    threading.Thread(target=application.prepare, daemon=True).start()
    ready(entrance(port, token, "/jobs" if jobs else "/"))
    with suppress(KeyboardInterrupt):  # the second one, while requests are let end
        server.run()


def _listen(port: int) -> list[socket.socket]:
    first = _bind_or_refuse(socket.AF_INET, "127.0.0.1", port)
    chosen = first.getsockname()[1]
    second = None
    with suppress(OSError):
        second = _bind(socket.AF_INET6, "::1", chosen)
    return [first, second] if second else [first]


def _bind_or_refuse(family: socket.AddressFamily, host: str, port: int) -> socket.socket:
    try:
        return _bind(family, host, port)
    except OSError as error:
        raise UserError(
            f"port {port} of {host}: {(error.strerror or 'refused').lower()}: choose another with "
            "--port, or --port 0 for any free one"
        ) from error


def _bind(family: socket.AddressFamily, host: str, port: int) -> socket.socket:
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
    except OSError:
        bound.close()
        raise
    return bound
