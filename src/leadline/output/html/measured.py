"""The samples behind the figures of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from leadline.analysis.figures.summary import (
    Repetitions,
    excluding_bits,
    identity_of_figure,
    identity_of_point,
    repetitions,
)
from leadline.model.run import Run
from leadline.model.samples import SampleSource
from leadline.model.summary import PointSummary

if TYPE_CHECKING:
    from leadline.model.samples import Columns

_NO_COLUMNS: Columns = {}


class Measured:
    """Finds the samples of a figure by what the figure says of itself.

    A figure that the run does not know, as any imported one, has none.
    """

    def __init__(self, run: Run, source: SampleSource) -> None:
        self._source = source
        self._excluding = excluding_bits(run.flags)
        self._points = {identity_of_point(point): point.index for point in run.points}
        self._series = {
            (benchmark.name, series.name): index
            for benchmark in run.benchmarks
            for index, series in enumerate(benchmark.series)
        }

    def repetitions(self, figure: PointSummary) -> Repetitions | None:
        """Return the repetitions that a figure is made of, in the order measured."""
        columns = self._columns(figure)
        own = columns and repetitions(columns, self._excluding).get(self._series_index(figure))
        return Repetitions(*(column[own.usable] for column in own)) if own else None

    def pairs(self, figure: PointSummary) -> Columns:
        """Return `rank`, `peer` and `seconds` of the samples of a figure that have a peer."""
        columns = self._columns(figure)
        if not columns:
            return columns
        own = (columns["series"] == self._series_index(figure)) & (columns["peer"] >= 0)
        own &= ((columns["flags"] & self._excluding) == 0) & np.isfinite(columns["seconds"])
        return {name: columns[name][own] for name in ("rank", "peer", "seconds")}

    def _columns(self, figure: PointSummary) -> Columns:
        index = self._points.get(identity_of_figure(figure))
        return _NO_COLUMNS if index is None else self._source.columns(index)

    def _series_index(self, figure: PointSummary) -> int:
        # -1 is what samples carry where a run does not say what its series are.
        return self._series.get((figure.benchmark, figure.series), -1)
