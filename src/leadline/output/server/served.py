"""What addresses answer from: the runs of a folder, what is kept of them, and the pages."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from leadline import __version__
from leadline.core.errors import UserError
from leadline.model.run import Run
from leadline.model.summary import Analysis
from leadline.output.html.theme import VARIABLES, configuration
from leadline.output.server import rows
from leadline.output.server.catalogue import Catalogue, Entry, printable
from leadline.output.server.grades import Grades
from leadline.output.server.nights import NightHistory, Watch
from leadline.output.server.recordings import Explain, Recordings
from leadline.output.server.responses import templates
from leadline.output.server.results import Results
from leadline.output.server.screened import Screening, Screenings

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

# How long a page waits before it says that its samples are being analysed, and a program.
PAGE_PATIENCE_S = 1.5
PROGRAM_PATIENCE_S = 60.0

Describe = Callable[[Run, Path, Analysis], dict[str, Any]]


class Missing(UserError):
    """There is nothing of that name."""


class Served:
    """The runs in a folder, with what takes time kept, and templates that show them.

    The parameters are those of `leadline.output.server.application.Application`.
    """

    def __init__(
        self, runs: Path, describe: Describe, waiters: int, explain: Explain, watch: Watch
    ) -> None:
        self.catalogue = Catalogue(runs)
        self.results = Results()
        self.grades = Grades(self.results.grade)
        self.recordings = Recordings(explain)
        self.history = NightHistory(watch)
        self._screenings = Screenings()
        self.describe = describe
        self._waiting = threading.BoundedSemaphore(waiters)
        self._templates = templates()
        self._templates.globals.update(
            version=__version__,
            folder=printable(str(runs)),
            configuration=configuration(VARIABLES),
        )

    def entry(self, name: str) -> Entry:
        """Return a run that can be read. Raises `Missing`, or `UserError` for a damaged one."""
        entry = self.catalogue.entries().get(name)
        if entry is None:
            raise Missing(f"There is no run {rows.cut(name, 80)!r}.")
        if entry.listed.state == "unreadable":
            raise UserError(f"{name}: {entry.listed.message}")
        return entry

    def screenings(self) -> list[Screening]:
        """Return what screenings of clusters found, the oldest first."""
        return self._screenings.found(self.catalogue.entries().values())

    @contextmanager
    def patience(self, seconds: float) -> Iterator[float]:
        """Give how long this request may wait: not at all where too many do."""
        free = self._waiting.acquire(blocking=False)
        try:
            yield seconds if free else 0.0
        finally:
            if free:
                self._waiting.release()

    def page(self, template: str, status: int = 200, here: str = "", **values: Any) -> Response:
        """Return a page: `here` is the address in its menu that it belongs to."""
        from werkzeug.wrappers import Response

        text = self._templates.get_template(f"{template}.html").render(here=here, **values)
        return Response(
            text.encode("utf-8", "replace"), status, content_type="text/html; charset=utf-8"
        )


class Address(NamedTuple):
    """An address, as werkzeug's rules have it, and what answers a request of it.

    `answer` gets what is served, the request, and by name what the rule says. It raises `Missing`,
    and `UserError` for what cannot be shown.
    """

    rule: str
    answer: Callable[..., Response]
