"""Requests and what answers them: pages for people, JSON for programs."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from leadline import __version__
from leadline.core.errors import UserError
from leadline.model.run import Run
from leadline.model.watched import Nights
from leadline.output.server import job_pages, night_pages, run_pages
from leadline.output.server.jobs import Jobs
from leadline.output.server.results import Explain, Watch
from leadline.output.server.served import Address, Describe, Missing, Served, json

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment
    from werkzeug.wrappers import Request, Response

    from leadline.explain.report import Explained


class Application:
    """A WSGI application over the runs in a folder.

    `describe` makes the JSON object of a run, `explain` says of a recording where the program's
    time went, and `watch` judges the nights in run folders. `jobs` are those of a site, shown
    beside the runs. At most `waiters` requests wait for figures, so that as many threads as a
    server has beyond that are left for what is there.
    """

    def __init__(
        self,
        runs: Path,
        describe: Describe,
        waiters: int = 8,
        explain: Explain | None = None,
        watch: Watch | None = None,
        jobs: Jobs | None = None,
    ) -> None:
        from werkzeug.routing import Map, Rule

        self.served = Served(runs, describe, explain or _unexplained, watch or _unwatched, jobs)
        self._waiting = threading.BoundedSemaphore(waiters)
        self.addresses = (
            Address("/api", self._api),
            *run_pages.ADDRESSES,
            *night_pages.ADDRESSES,
            *job_pages.ADDRESSES,
        )
        # No redirections of slashes: an address is one, or it is none.
        self._rules = Map(
            [Rule(address.rule, endpoint=address) for address in self.addresses],
            strict_slashes=False,
            merge_slashes=False,
        )

    def prepare(self) -> None:
        """Look at all runs, the newest also for their answers, so that the first page need not."""
        self.served.selection({})

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        from werkzeug.wrappers import Request

        return self._answer(Request(environ))(environ, start_response)

    def _answer(self, request: Request) -> Response:
        from werkzeug.exceptions import NotFound

        for_program = request.path.startswith("/api")
        try:
            address, values = self._rules.bind_to_environ(request.environ).match()
            if not address.waits:
                return self._answer_of(address, request, values)
            if not self._waiting.acquire(blocking=False):
                text = "Others wait for figures: load this page again in a while."
                return self._refusal(for_program, 503, "Busy", text)
            try:
                return self._answer_of(address, request, values)
            finally:
                self._waiting.release()
        except (NotFound, Missing) as error:
            text = str(error) if isinstance(error, Missing) else "There is nothing at this address."
            return self._refusal(for_program, 404, "Not found", text)
        except UserError as error:
            return self._refusal(for_program, 422, "Cannot be shown", str(error))
        except Exception as error:  # whatever one address runs into, the others go on
            logging.getLogger(__name__).exception("%s", request.path)
            reason = f"leadline ran into {type(error).__name__}: {error}"
            return self._refusal(for_program, 500, "Cannot be shown", reason)

    def _answer_of(self, address: Address, request: Request, values: Mapping[str, str]) -> Response:
        return address.answer(self.served, request, **values)

    def _api(self, served: Served, request: Request) -> Response:
        rules = sorted(address.rule for address in self.addresses)
        return json({"leadline": __version__, "addresses": rules})

    def _refusal(self, for_program: bool, status: int, title: str, text: str) -> Response:
        if for_program:
            return json({"error": text}, status)
        return self.served.page("message", status, title=title, text=text)


def _unexplained(run: Run, folder: Path) -> Explained:
    raise UserError(f"{run.run} is a recording of a program, which is not explained here")


def _unwatched(paths: Sequence[Path]) -> Nights:
    raise UserError("nights are not judged here")
