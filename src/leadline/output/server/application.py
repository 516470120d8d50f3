"""Requests and what answers them: pages for people, JSON for programs."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from leadline import __version__
from leadline.core.errors import UserError
from leadline.model.run import Run
from leadline.model.watched import Nights
from leadline.output.server import night_pages, run_pages
from leadline.output.server.cache import NotYet
from leadline.output.server.results import Explain, Watch
from leadline.output.server.served import Address, Describe, Missing, Served, json

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment
    from werkzeug.wrappers import Request, Response

    from leadline.explain.report import Explained


class Application:
    """A WSGI application over the runs in a folder.

    `describe` makes the JSON object of a run, `explain` says of a recording where the program's
    time went, and `watch` judges the nights in run folders. At most `waiters` requests wait for
    figures, so that as many threads as a server has beyond that are left for what is there.
    """

    def __init__(
        self,
        runs: Path,
        describe: Describe,
        waiters: int = 8,
        explain: Explain | None = None,
        watch: Watch | None = None,
    ) -> None:
        from werkzeug.routing import Map, Rule

        self.served = Served(runs, describe, waiters, explain or _unexplained, watch or _unwatched)
        self.addresses = (
            Address("/api", self._api),
            *run_pages.ADDRESSES,
            *night_pages.ADDRESSES,
        )
        # No redirections of slashes: an address is one, or it is none.
        self._rules = Map(
            [Rule(address.rule, endpoint=address.answer) for address in self.addresses],
            strict_slashes=False,
            merge_slashes=False,
        )

    def prepare(self) -> None:
        """Look at all runs, so that the first page need not."""
        self.served.catalogue.entries()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        from werkzeug.wrappers import Request

        return self._answer(Request(environ))(environ, start_response)

    def _answer(self, request: Request) -> Response:
        from werkzeug.exceptions import NotFound

        for_program = request.path.startswith("/api")
        try:
            answer_of, values = self._rules.bind_to_environ(request.environ).match()
            answer: Response = answer_of(self.served, request, **values)
        except (NotFound, Missing) as error:
            text = str(error) if isinstance(error, Missing) else "There is nothing at this address."
            return self._refusal(for_program, 404, "Not found", text)
        except UserError as error:
            return self._refusal(for_program, 422, "Cannot be shown", str(error))
        except NotYet:
            if for_program:
                response = json({"error": "the samples are being analysed: ask again"}, 503)
                response.headers["Retry-After"] = "2"
                return response
            text = "leadline analyses the samples. This page shows the run as soon as that is done."
            return self.served.page("message", 202, title="Analysing", text=text, again=True)
        except Exception as error:  # whatever one address runs into, the others go on
            logging.getLogger(__name__).exception("%s", request.path)
            reason = f"leadline ran into {type(error).__name__}: {error}"
            return self._refusal(for_program, 500, "Cannot be shown", reason)
        return answer

    def _api(self, served: Served, request: Request) -> Response:
        rules = sorted(address.rule for address in self.addresses)
        return json({"leadline": __version__, "addresses": rules})

    def _refusal(self, for_program: bool, status: int, title: str, text: str) -> Response:
        if for_program:
            return json({"error": text}, status)
        return self.served.page("message", status, title=title, text=text, again=False)


def _unexplained(run: Run, folder: Path) -> Explained:
    raise UserError(f"{run.run} is a recording of a program, which is not explained here")


def _unwatched(paths: Sequence[Path]) -> Nights:
    raise UserError("nights are not judged here")
