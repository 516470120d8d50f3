"""Addresses and what answers them: pages for people, JSON for programs."""

from __future__ import annotations

import hashlib
import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import msgspec

from leadline import __version__
from leadline.core.errors import UserError
from leadline.model.nights import Nights
from leadline.model.run import Run
from leadline.model.summary import Analysis
from leadline.output import program_difference
from leadline.output.compared import comparison_sentences
from leadline.output.html import view
from leadline.output.html.charts import main_panels
from leadline.output.html.theme import VARIABLES, configuration
from leadline.output.html.verdict import PICTURE, picture, screen
from leadline.output.missing import missing_table
from leadline.output.server import charts, choice, nights, rows
from leadline.output.server.cache import NotYet
from leadline.output.server.catalogue import Catalogue, Entry, Listed, ResultName, printable
from leadline.output.server.grades import Grades
from leadline.output.server.listing import (
    Wanted,
    choices,
    is_measured,
    is_trial,
    select,
    wanted,
)
from leadline.output.server.nights import NightHistory, Watch
from leadline.output.server.recordings import Explain, Recordings
from leadline.output.server.responses import files, json, own_page, packed, part, templates
from leadline.output.server.results import Results
from leadline.output.server.trend import Trend

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment
    from werkzeug.wrappers import Request, Response

    from leadline.explain.difference import ExplainedDifference
    from leadline.explain.report import Explained

# How long a page waits before it says that its samples are being analysed, and a program.
PAGE_PATIENCE_S = 1.5
PROGRAM_PATIENCE_S = 60.0
# How long the list of runs waits for what it could do without.
LIST_PATIENCE_S = 0.4

# Runs that a trend looks at where nothing else is asked for, the newest ones.
NEWEST = 200

_COLUMNS = (
    ("run", "Run"),
    ("when", "When"),
    ("benchmarks", "Benchmarks"),
    ("mpi", "MPI"),
    ("placement", "Placement"),
    ("machine", "Machine"),
    ("outcome", "Outcome"),
    ("size", "Size"),
)

Describe = Callable[[Run, Path, Analysis], dict[str, Any]]


class Missing(UserError):
    """There is nothing of that name."""


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
        self._catalogue = Catalogue(runs)
        self._results = Results()
        self._grades = Grades(self._results.grade)
        self._describe = describe
        self._recordings = Recordings(explain or _unexplained)
        self._history = NightHistory(watch or _unwatched)
        self._waiting = threading.BoundedSemaphore(waiters)
        self._templates = templates()
        self._templates.globals.update(
            version=__version__,
            folder=printable(str(runs)),
            configuration=configuration(VARIABLES),
        )
        self._files = files()
        self._addresses = _addresses()

    def prepare(self) -> None:
        """Look at all runs, so that the first page need not."""
        self._catalogue.entries()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        from werkzeug.wrappers import Request

        return self._answer(Request(environ))(environ, start_response)

    def _answer(self, request: Request) -> Response:
        from werkzeug.exceptions import NotFound

        for_program = request.path.startswith("/api")
        try:
            endpoint, values = self._addresses.bind_to_environ(request.environ).match()
            answer: Response = getattr(self, f"_{endpoint}")(request, **values)
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
            return self._page("message", 202, title="Analysing", text=text, again=True)
        except Exception as error:  # whatever one address runs into, the others go on
            logging.getLogger(__name__).exception("%s", request.path)
            words_of = f"leadline ran into {type(error).__name__}: {error}"
            return self._refusal(for_program, 500, "Cannot be shown", words_of)
        return answer

    def _runs(self, request: Request) -> Response:
        asked = wanted(request.args)
        runs = self._grades.listed(self._catalogue.entries().values())
        selection = select(runs, asked)
        near = range(max(1, selection.page - 3), min(selection.pages, selection.page + 3) + 1)
        return self._page(
            "runs",
            newest=self._newest(runs) if asked == Wanted() else None,
            here="/",
            asked=asked,
            selection=selection,
            choices=choices(runs),
            columns=_COLUMNS,
            near=near,
        )

    def _newest(self, runs: Sequence[Listed]) -> dict[str, Any] | None:
        """Return the first screen of the newest run that is complete, if that is there soon."""
        complete = [run for run in runs if run.state == "complete" and not is_trial(run)]
        for run in sorted(complete, key=lambda run: run.started or "", reverse=True)[:1]:
            if self._catalogue.entries()[run.run].recording:
                return {"run": run.run, "title": ", ".join(run.benchmarks), "recording": run}
            try:
                summary = self._results.summary(self._catalogue.entries()[run.run], LIST_PATIENCE_S)
            except (NotYet, UserError):
                return None
            return {"run": run.run, "recording": None, **summary._asdict()}
        return None

    def _run(self, request: Request, name: str) -> Response:
        entry = self._entry(name)
        if entry.recording:
            return self._recording(entry)
        with self._patience(PAGE_PATIENCE_S) as patience:
            opened = self._results.opened(entry, patience)
        first = screen(opened.run, opened.analysis)
        beside = picture(
            opened.run, first.verdict.headlines, main_panels(opened.run, opened.analysis)
        )
        return self._page(
            "run",
            listed=entry.listed,
            analysis=opened.analysis,
            run=opened.run,
            title=view.title(opened.run, opened.analysis),
            story=view.story(opened.run, opened.analysis),
            screen=first,
            picture=beside,
            picture_name=PICTURE,
            charts=bool(beside),
            questions=view.questions(opened.analysis, ()),
            disturbing=view.disturbing(opened.run),
            figures=rows.figures(opened),
            missing=missing_table(opened.analysis.missing),
        )

    def _recording(self, entry: Entry) -> Response:
        from leadline.output.html.program import content

        with self._patience(PAGE_PATIENCE_S) as patience:
            found = self._recordings.explained(entry, patience)
        title = ", ".join(entry.listed.benchmarks)
        return self._page("recording", listed=entry.listed, title=title, shown=content(found))

    def _report(self, request: Request, name: str) -> Response:
        entry = self._entry(name)
        made = self._recordings if entry.recording else self._results
        with self._patience(PAGE_PATIENCE_S) as patience:
            return own_page(request, made.report(entry, patience))

    def _compare(self, request: Request) -> Response:
        entries = self._catalogue.entries()
        a, b = request.args.get("a", ""), request.args.get("b", "")
        known = [one.listed for one in entries.values()]
        runs = [one for one in known if one.state not in ("unreadable", "damaged")]
        shown: dict[str, Any] = {"comparison": None, "charts": None, "programs": None}
        within = request.args.get("within", "5")
        if a and b and self._are_recordings(request):
            shown["programs"] = self._programs(request)
            shown["swapped"] = urlencode({"a": b, "b": a})
        elif a and b:
            with self._patience(PAGE_PATIENCE_S) as patience:
                held = self._results.comparison(*self._sides(request), patience)
            comparison = held.comparison
            ordered = rows.by_difference(comparison.figures)
            drawn = ordered[: charts.MOST]
            count = "" if len(drawn) == len(ordered) else f"The {len(drawn)} that differ most. "
            shown |= {
                "comparison": comparison,
                "answer": comparison_sentences(comparison, "A", "B"),
                "differences": held.differences,
                "charts": charts.ratios(drawn, comparison.same_within) if drawn else None,
                "shows": f"{count}Ratio of medians with its 95 % interval, on a logarithmic axis; "
                "what lies in the band is the same.",
                "rows": rows.comparison_rows(ordered),
                "verdicts": rows.verdicts(comparison.figures),
                "unsure": any(one.low is None for one in comparison.figures),
                "swapped": urlencode({"a": b, "b": a, "within": within}),
                "query": urlencode(
                    {"a": a, "b": b} | ({"within": within} if within != "5" else {})
                ),
            }
        return self._page(
            "compare", here="/compare", a=a, b=b, within=within, runs=runs[::-1], **shown
        )

    def _are_recordings(self, request: Request) -> bool:
        """Tell whether one of the two to compare is a recording of a program."""
        base, other, _ = self._sides(request)
        return base.recording or other.recording

    def _difference(self, request: Request, patience_s: float) -> ExplainedDifference:
        base, other, _ = self._sides(request)
        with self._patience(patience_s) as patience:
            return self._recordings.difference(base, other, patience)

    def _programs(self, request: Request) -> dict[str, Any]:
        found = self._difference(request, PAGE_PATIENCE_S)
        caption = "Calls, those that differ most first. Times are of an average rank; was: in A."
        return {
            "answer": program_difference.headline(found),
            "base": found.base,
            "other": found.other,
            "calls": program_difference.calls(found)._replace(caption=caption),
            "unknown": program_difference.unknown(found),
        }

    def _compare_report(self, request: Request) -> Response:
        if self._are_recordings(request):
            raise UserError("recordings of programs are compared on the page Compare alone")
        base, other, within = self._sides(request)
        with self._patience(PAGE_PATIENCE_S) as patience:
            report = self._results.comparison_report(base, other, within, patience)
        return own_page(request, report)

    def _trends(self, request: Request) -> Response:
        entries, runs_with = self._figures()
        name = choice.nearest(runs_with, request.args.to_dict())
        last = _whole(request.args.get("last", str(NEWEST)))
        if name is None:
            return self._page("trends", here="/trends", trend=None, fields=(), last=last)
        with self._patience(PAGE_PATIENCE_S) as patience:
            trend = self._trend_of(name, entries, last, patience)
        address = {point.run: f"/runs/{part(point.run)}" for point in trend.points}
        return self._page(
            "trends",
            here="/trends",
            trend=trend,
            last=last,
            fields=choice.fields(runs_with, name),
            charts=charts.over_time(trend, address) if trend.points else None,
            shows="The median of one operation in each run (symbol, a link to the run) with its "
            "95 % interval (bar). A dashed line stands where machine, kernel or MPI became "
            "another one, a red one where the figure itself went to another level. The vertical "
            "axis need not begin at zero.",
            api=f"/api/trend?{choice.query_of(name)}&last={last}",
            rows=rows.trend_rows(trend.points),
        )

    def _nights(self, request: Request) -> Response:
        found = nights.watched(self._catalogue.entries())
        return self._page("nights", here="/nights", watched=found)

    def _night(self, request: Request, key: str) -> Response:
        of, entries = self._watched(key)
        with self._patience(PAGE_PATIENCE_S) as patience:
            found = self._history.nights(of, entries, patience)
        shown = nights.shown(of, found, entries, request.args.get("figure", ""))
        return self._page("night", here="/nights", api=f"/api/nights/{part(of.key)}", **shown)

    def _watched(self, key: str) -> tuple[nights.Watched, dict[str, Entry]]:
        entries = self._catalogue.entries()
        for each in nights.watched(entries):
            if each.key == key:
                return each, entries
        raise Missing("Nothing that is watched is at this address: see Nights.")

    def _api_nights(self, request: Request) -> Response:
        return json({"watched": nights.watched(self._catalogue.entries())})

    def _api_night(self, request: Request, key: str) -> Response:
        of, entries = self._watched(key)
        with self._patience(PROGRAM_PATIENCE_S) as patience:
            return json(self._history.nights(of, entries, patience))

    def _api(self, request: Request) -> Response:
        return json({"leadline": __version__, "addresses": [rule.rule for rule in _rules()]})

    def _api_runs(self, request: Request) -> Response:
        runs = self._grades.listed(self._catalogue.entries().values())
        return json(select(runs, wanted(request.args), per_page=1000))

    def _api_run(self, request: Request, name: str) -> Response:
        entry = self._entry(name)
        with self._patience(PROGRAM_PATIENCE_S) as patience:
            if entry.recording:
                return json(self._recordings.explained(entry, patience))
            opened = self._results.opened(entry, patience)
        return json(self._describe(opened.run, Path(entry.listed.folder), opened.analysis))

    def _api_compare(self, request: Request) -> Response:
        if self._are_recordings(request):
            return json(self._difference(request, PROGRAM_PATIENCE_S))
        base, other, within = self._sides(request)
        with self._patience(PROGRAM_PATIENCE_S) as patience:
            held = self._results.comparison(base, other, within, patience)
        told = msgspec.to_builtins(held.comparison)
        between = msgspec.to_builtins(held.differences)
        return json({**told, "differences": between, "settling": held.settling})

    def _api_figures(self, request: Request) -> Response:
        _, runs_with = self._figures()
        return json({"figures": [{**n._asdict(), "runs": c} for n, c in runs_with.items()]})

    def _api_trend(self, request: Request) -> Response:
        entries, runs_with = self._figures()
        asked = request.args.to_dict()
        found = [name for name in runs_with if choice.query_of(name) == _query(asked)]
        if not found:
            raise Missing("no run has this figure: /api/figures lists them")
        last = _whole(asked.get("last", str(NEWEST)))
        with self._patience(PROGRAM_PATIENCE_S) as patience:
            return json(self._trend_of(found[0], entries, last, patience))

    def _static(self, request: Request, name: str) -> Response:
        if name == "vega.js":
            content, kind = self._results.vega(), "text/javascript; charset=utf-8"
        elif name in self._files:
            content, kind = self._files[name]
        else:
            raise Missing("There is no such file.")
        response = packed(request, content, kind)
        response.headers["Cache-Control"] = "no-cache"
        response.set_etag(hashlib.sha256(content).hexdigest()[:32])
        return response.make_conditional(request)

    def _entry(self, name: str) -> Entry:
        entry = self._catalogue.entries().get(name)
        if entry is None:
            raise Missing(f"There is no run {rows.cut(name, 80)!r}.")
        if entry.listed.state == "unreadable":
            raise UserError(f"{name}: {entry.listed.message}")
        return entry

    def _sides(self, request: Request) -> tuple[Entry, Entry, float]:
        base, other = (self._entry(request.args.get(word, "")) for word in ("a", "b"))
        return base, other, _share(request.args.get("within", "5"))

    def _figures(self) -> tuple[list[Entry], dict[ResultName, int]]:
        entries = list(self._catalogue.entries().values())
        counts = Counter(number for entry in entries for number in entry.figures)
        return entries, {self._catalogue.names[n]: count for n, count in counts.items()}

    def _trend_of(
        self, name: ResultName, entries: list[Entry], last: int, patience: float
    ) -> Trend:
        number = self._catalogue.names.index(name)
        having = [entry for entry in entries if number in entry.figures]
        here = [entry for entry in having if is_measured(entry.listed)] or having
        elsewhere = len(having) - len(here)
        having = here
        having.sort(key=lambda entry: (entry.listed.started or "", entry.listed.run))
        newest = having[-last:]
        found = self._results.trend(name, newest, len(having) - len(newest), patience)
        return msgspec.structs.replace(found, elsewhere=elsewhere)

    @contextmanager
    def _patience(self, seconds: float) -> Iterator[float]:
        """Give how long this request may wait: not at all where too many do."""
        free = self._waiting.acquire(blocking=False)
        try:
            yield seconds if free else 0.0
        finally:
            if free:
                self._waiting.release()

    def _refusal(self, for_program: bool, status: int, title: str, text: str) -> Response:
        if for_program:
            return json({"error": text}, status)
        return self._page("message", status, title=title, text=text, again=False)

    def _page(self, template: str, status: int = 200, here: str = "", **values: Any) -> Response:
        from werkzeug.wrappers import Response

        text = self._templates.get_template(f"{template}.html").render(here=here, **values)
        return Response(
            text.encode("utf-8", "replace"), status, content_type="text/html; charset=utf-8"
        )


def _unexplained(run: Run, folder: Path) -> Explained:
    raise UserError(f"{run.run} is a recording of a program, which is not explained here")


def _unwatched(paths: Sequence[Path]) -> Nights:
    raise UserError("nights are not judged here")


def _rules() -> list[Any]:
    from werkzeug.routing import Rule

    return [
        Rule("/", endpoint="runs"),
        Rule("/runs/<name>", endpoint="run"),
        Rule("/runs/<name>/report", endpoint="report"),
        Rule("/compare", endpoint="compare"),
        Rule("/compare/report", endpoint="compare_report"),
        Rule("/trends", endpoint="trends"),
        Rule("/nights", endpoint="nights"),
        Rule("/nights/<key>", endpoint="night"),
        Rule("/static/<name>", endpoint="static"),
        Rule("/api", endpoint="api"),
        Rule("/api/runs", endpoint="api_runs"),
        Rule("/api/runs/<name>", endpoint="api_run"),
        Rule("/api/compare", endpoint="api_compare"),
        Rule("/api/figures", endpoint="api_figures"),
        Rule("/api/trend", endpoint="api_trend"),
        Rule("/api/nights", endpoint="api_nights"),
        Rule("/api/nights/<key>", endpoint="api_night"),
    ]


def _addresses() -> Any:
    from werkzeug.routing import Map

    # No redirections: an address is one, or it is none.
    return Map(_rules(), strict_slashes=False, merge_slashes=False)


def _query(asked: dict[str, str]) -> str:
    return urlencode({field: asked.get(field, "") for field in ResultName._fields})


def _share(percent: str) -> float:
    try:
        share = float(percent) / 100
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise UserError(f"{rows.cut(percent, 40)!r} is no percentage from 0 to 100")
    return share


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 7 and int(text) > 0):
        raise UserError(f"{rows.cut(text, 40)!r} is no number of runs")
    return int(text)
