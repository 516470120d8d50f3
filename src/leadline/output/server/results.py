"""What takes time to make of runs: made on demand, once, and kept for as long as it is used."""

from __future__ import annotations

import gzip
import html
import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec

from leadline.core.errors import UserError
from leadline.model.comparison import Comparison, Difference
from leadline.model.run import Run, variant
from leadline.model.summary import Analysis, PointSummary
from leadline.output.server.cache import Cache, Workers
from leadline.output.server.catalogue import Entry, ResultName, name_of
from leadline.output.server.inspection import inspect, inspect_samples
from leadline.output.server.trend import Seen, Trend, trend
from leadline.store.folder import RunFolder
from leadline.store.samples import StoredSamples

if TYPE_CHECKING:
    import duckdb

    from leadline.output.html.report_data import KeptSamples
    from leadline.output.html.verdict import Screen

Made = TypeVar("Made")

_POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]*)"')


class Opened(NamedTuple):
    """A run with all that can be said of it, and the samples that its report draws."""

    run: Run
    analysis: Analysis
    kept: KeptSamples


class Held(NamedTuple):
    """A run held against another, in what they differ beside their figures, and what would tell.

    `settling` are commands for what the comparison cannot tell.
    """

    comparison: Comparison
    differences: tuple[Difference, ...]
    settling: tuple[str, ...]


class Summary(NamedTuple):
    """What the list of runs says of one: what was measured where, and the first screen."""

    title: str
    story: list[str]
    screen: Screen


class Report(NamedTuple):
    """The HTML report of a run, in gzip, and the content security policy that it was made for."""

    compressed: bytes
    policy: str


class Results:
    """Makes and keeps what pages show. `patience_s` is how long who asks waits before `NotYet`.

    Each method raises `UserError` where the run cannot be read, whatever is wrong with it.
    """

    def __init__(self) -> None:
        workers = Workers()
        self._analyses = Cache(workers, 16)
        self._reports = Cache(workers, 8)
        self._figures = Cache(workers, 32)
        self._single = Cache(workers, 4096)
        self._comparisons = Cache(workers, 32)
        self._trends = Cache(workers, 64)
        self._scripts = Cache(workers, 1)
        self._summaries = Cache(workers, 8)

    def opened(self, entry: Entry, patience_s: float | None = None) -> Opened:
        """Return the run with its figures and findings."""

        def make() -> Opened:
            from leadline.analysis.findings import conclude
            from leadline.output.html.charts import sample_collector

            run, samples = self._read(entry)
            kept = sample_collector(run)
            return Opened(run, conclude(run, samples, collectors=[kept]), kept)

        return self._analyses.get(key_of(entry), guard_errors(make), patience_s)

    def grade(self, entry: Entry) -> str:
        """Return how far the run's figures can be trusted, made at once."""

        def make() -> str:
            from leadline.analysis.findings import conclude
            from leadline.analysis.verdict.trust import trust

            if self._analyses.has(key_of(entry)):
                opened = self.opened(entry)
                return trust(opened.run, opened.analysis).grade
            run, samples = self._read(entry)
            return trust(run, conclude(run, samples)).grade

        return guard_errors(make)()

    def summary(self, entry: Entry, patience_s: float | None = None) -> Summary:
        """Return what the list of runs says of one."""

        def make() -> Summary:
            from leadline.output.html import view
            from leadline.output.html.verdict import screen

            run, analysis, _ = self.opened(entry, None)
            return Summary(
                view.title(run, analysis), view.story(run, analysis), screen(run, analysis)
            )

        return self._summaries.get(key_of(entry), guard_errors(make), patience_s)

    def report(self, entry: Entry, patience_s: float | None = None) -> Report:
        """Return the run's report."""

        def make() -> Report:
            from leadline.output.html.html import render

            return pack_report(render(*self.opened(entry)))

        return self._reports.get(key_of(entry), guard_errors(make), patience_s)

    def comparison(
        self, base: Entry, other: Entry, same_within: float, patience_s: float | None = None
    ) -> Held:
        """Return `other` against `base`."""

        def make() -> Held:
            from leadline.analysis.compare.compare import compare
            from leadline.analysis.compare.differences import differences
            from leadline.analysis.findings.settle import settling_commands

            runs = [self._read(entry)[0] for entry in (base, other)]
            compared = compare(
                base.listed.run,
                self._figures_of(base),
                other.listed.run,
                self._figures_of(other),
                same_within,
            )
            return Held(compared, differences(*runs), tuple(settling_commands(compared, *runs)))

        key = (key_of(base), key_of(other), same_within)
        return self._comparisons.get(key, guard_errors(make), patience_s)

    def comparison_report(
        self, base: Entry, other: Entry, same_within: float, patience_s: float | None = None
    ) -> Report:
        """Return the report of `other` against `base`."""

        def make() -> Report:
            from leadline.output.html.html import render_comparison

            comparison = self.comparison(base, other, same_within).comparison
            runs = [self._read(entry)[0] for entry in (base, other)]
            return pack_report(render_comparison([comparison], runs))

        key = (key_of(base), key_of(other), same_within)
        return self._reports.get(key, guard_errors(make), patience_s)

    def trend(
        self,
        name: ResultName,
        entries: Sequence[Entry],
        earlier: int = 0,
        patience_s: float | None = None,
    ) -> Trend:
        """Return the figure in these runs; those that cannot be read are left out by name."""

        def make() -> Trend:
            seen, left_out = [], []
            for entry in entries:
                try:
                    figures = self._figures_called(name, entry)
                except UserError:
                    left_out.append(entry.listed.run)
                else:
                    seen.append(Seen(entry.listed, figures))
            return trend(name, [each for each in seen if each.figures], left_out, earlier)

        key = (name, earlier, tuple(key_of(entry) for entry in entries))
        return self._trends.get(key, make, patience_s)

    def vega(self) -> bytes:
        """Return the script that draws the charts, in gzip."""

        def make() -> bytes:
            import base64

            from leadline.output.html.vega import bundle

            return base64.b64decode(bundle().compressed)

        return self._scripts.get("vega", make)

    def _read(self, entry: Entry) -> tuple[Run, StoredSamples]:
        inspect(entry.path)
        folder = RunFolder(entry.path)
        inspect_samples(folder.parquet, self._connection)
        return folder.read(), self._samples(folder)

    def _samples(self, folder: RunFolder) -> StoredSamples:
        return StoredSamples(folder, self._connection)

    @cached_property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        # To connect takes longer than to read one figure.
        from leadline.store.parquet import connected

        return connected()

    def _figures_of(self, entry: Entry) -> tuple[PointSummary, ...]:
        def make() -> tuple[PointSummary, ...]:
            from leadline.analysis.results.summary import summarise

            return summarise(*self._read(entry))

        if self._analyses.has(key_of(entry)):
            return self.opened(entry).analysis.points
        return self._figures.get(key_of(entry), guard_errors(make))

    def _figures_called(self, name: ResultName, entry: Entry) -> tuple[PointSummary, ...]:
        def make() -> tuple[PointSummary, ...]:
            from leadline.analysis.results.summary import summarise

            run, samples = self._read(entry)
            points = [
                point
                for point in run.points
                if point.benchmark == name.benchmark
                and str(point.placement) == name.place
                and variant(point.axes, point.conditions) == name.variant
                and point.axes.get("bytes") == name.bytes
            ]
            return _select_figures(
                name, summarise(msgspec.structs.replace(run, points=points), samples)
            )

        if self._analyses.has(key_of(entry)):
            return _select_figures(name, self.opened(entry).analysis.points)
        return self._single.get((key_of(entry), name), guard_errors(make))


def pack_report(page: str) -> Report:
    """Return a page that has all it needs inside, with the policy that it names."""
    policy = _POLICY.search(page)
    if policy is None:
        raise UserError("the report does not say what it may do")
    return Report(gzip.compress(page.encode("utf-8", "replace"), 1), html.unescape(policy[1]))


def _select_figures(name: ResultName, figures: Sequence[PointSummary]) -> tuple[PointSummary, ...]:
    return tuple(figure for figure in figures if name_of(figure) == name)


def key_of(entry: Entry) -> tuple[str, object]:
    """Return what is another one when the run has changed."""
    return entry.listed.run, entry.signature


def guard_errors(make: Callable[[], Made]) -> Callable[[], Made]:
    """Return `make` with every error a `UserError`: what a strange run does to analyses is its own
    trouble, not that of the others.
    """

    def careful() -> Made:
        try:
            return make()
        except UserError:
            raise
        except Exception as error:
            raise UserError(
                f"nothing can be made of what the folder holds: {type(error).__name__}: {error}"
            ) from error

    return careful
