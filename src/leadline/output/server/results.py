"""What takes time to make of runs: made on demand, once, and kept for as long as it is used."""

from __future__ import annotations

import gzip
import html
import re
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from leadline.analysis.compare.compare import compare
from leadline.analysis.compare.differences import differences
from leadline.analysis.findings.open_verdicts import settling_commands
from leadline.analysis.verdict.trust import trust
from leadline.core.errors import UserError
from leadline.exchange.analysis import analysis_of, figures_of
from leadline.explain.difference import difference
from leadline.model.comparison import Comparison, Difference
from leadline.model.run import Run
from leadline.model.summary import Analysis, PointSummary
from leadline.model.watched import Nights
from leadline.output.html.charts import sample_collector
from leadline.output.html.html import render, render_comparison
from leadline.output.html.program import render_program
from leadline.output.program_time import headline
from leadline.output.server.cache import Cache
from leadline.output.server.catalogue import Entry, Listed
from leadline.output.server.inspection import inspect, inspect_samples
from leadline.store.folder import RunFolder
from leadline.store.parquet import connected
from leadline.store.samples import StoredSamples

if TYPE_CHECKING:
    import duckdb

    from leadline.explain.difference import ExplainedDifference
    from leadline.explain.report import Explained
    from leadline.output.html.report_data import KeptSamples

# Where a program's time went, and what nights in run folders show.
Explain = Callable[[Run, Path], "Explained"]
Watch = Callable[[Sequence[Path]], Nights]

_POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]*)"')
# A program that still runs is looked at again after so long.
_STALE_S = 5.0


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


class Report(NamedTuple):
    """A page that has all it needs inside, in gzip, and the security policy that it names."""

    compressed: bytes
    policy: str


class Results:
    """Makes and keeps what pages show.

    Each method raises `UserError` where the run cannot be read, whatever is wrong with it.
    """

    def __init__(self, explain: Explain, watch: Watch) -> None:
        self._explain = explain
        self._watch = watch
        self._cache = Cache(60)

    def opened(self, entry: Entry) -> Opened:
        """Return the run with its figures and findings."""

        def make() -> Opened:
            run, samples = self._read(entry)
            kept = sample_collector(run)
            return Opened(run, analysis_of(run, samples, [kept]), kept)

        return self._cache.get(("run", entry.key), make)

    def answered(self, entry: Entry) -> Listed:
        """Return the run's line of the list with its answer.

        That is how far its figures can be trusted, or where the time of a recorded program went.
        """

        def make() -> Listed:
            if entry.recording:
                return replace(entry.listed, message=headline(self.explained(entry)))
            run, samples = self._read(entry)
            return replace(entry.listed, trust=trust(run, analysis_of(run, samples)).grade)

        return self._cache.get(("answer", entry.key), make)

    def explained(self, entry: Entry) -> Explained:
        """Return where the time of a recorded program went."""

        def make() -> Explained:
            inspect(entry.path)
            return self._explain(RunFolder(entry.path).read(), entry.path)

        key = ("recording", entry.key, _freshness(entry))
        return self._cache.get(key, make)

    def report(self, entry: Entry, menu: str) -> Report:
        """Return the report of a run or a recording."""

        def make() -> Report:
            if entry.recording:
                return packed_report(render_program(self.explained(entry)), menu)
            return packed_report(render(*self.opened(entry)), menu)

        key = ("report", entry.key, _freshness(entry) if entry.recording else 0.0)
        return self._cache.get(key, make)

    def comparison(self, base: Entry, other: Entry, same_within: float) -> Held:
        """Return `other` against `base`."""

        def make() -> Held:
            runs = [self._read(entry)[0] for entry in (base, other)]
            compared = compare(
                base.listed.run,
                self._figures(base),
                other.listed.run,
                self._figures(other),
                same_within,
            )
            return Held(compared, differences(*runs), tuple(settling_commands(compared, *runs)))

        key = ("comparison", base.key, other.key, same_within)
        return self._cache.get(key, make)

    def comparison_report(self, base: Entry, other: Entry, same_within: float, menu: str) -> Report:
        """Return the report of `other` against `base`."""

        def make() -> Report:
            comparison = self.comparison(base, other, same_within).comparison
            runs = [self._read(entry)[0] for entry in (base, other)]
            return packed_report(render_comparison([comparison], runs), menu)

        key = ("comparison report", base.key, other.key, same_within)
        return self._cache.get(key, make)

    def difference(self, base: Entry, other: Entry) -> ExplainedDifference:
        """Return a recording against another. Raises `UserError` where one of them is none."""
        recorded, figures = (base, other) if base.recording else (other, base)
        if not figures.recording:
            raise UserError(
                f"{recorded.listed.run} is a recording of a program, and {figures.listed.run} has "
                "figures: choose two recordings, or two runs with figures"
            )
        return difference(*(self.explained(entry) for entry in (base, other)))

    def nights(self, entries: Sequence[Entry], again: Sequence[Entry]) -> Nights:
        """Return the nights in `entries`; runs of `again` measured slow figures once more."""

        def make() -> Nights:
            for entry in (*entries, *again):
                inspect(entry.path)
            return self._watch([entry.path for entry in entries])

        key = ("nights", *(entry.key for entry in (*entries, *again)))
        return self._cache.get(key, make)

    def _read(self, entry: Entry) -> tuple[Run, StoredSamples]:
        inspect(entry.path)
        folder = RunFolder(entry.path)
        inspect_samples(folder.parquet, self._connection)
        return folder.read(), StoredSamples(folder, self._connection)

    @cached_property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        # To connect takes longer than to read one figure.
        return connected()

    def _figures(self, entry: Entry) -> tuple[PointSummary, ...]:
        def make() -> tuple[PointSummary, ...]:
            return figures_of(*self._read(entry))

        if self._cache.has(("run", entry.key)):
            return self.opened(entry).analysis.points
        return self._cache.get(("figures", entry.key), make)


def packed_report(page: str, menu: str) -> Report:
    """Return a page that has all it needs inside, with the menu above it."""
    policy = _POLICY.search(page)
    if policy is None:
        raise UserError("the report does not say what it may do")
    page = page.replace("<header>", f"{menu}<header>", 1)
    return Report(gzip.compress(page.encode("utf-8", "replace"), 1), html.unescape(policy[1]))


def _freshness(entry: Entry) -> float:
    return time.monotonic() // _STALE_S if entry.listed.state == "running" else 0.0
