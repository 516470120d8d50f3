"""The samples behind the figures of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from leadline.analysis.figures.summary import (
    Repetitions,
    excluding_bits,
    repetitions,
)
from leadline.model.run import Run
from leadline.model.samples import SampleSource
from leadline.model.summary import PointSummary

if TYPE_CHECKING:
    from leadline.model.samples import Columns

_NO_COLUMNS: Columns = {}


class Measured:
    """Finds the samples of a figure by the point and the series that it carries.

    An imported figure has none.
    """

    def __init__(self, run: Run, source: SampleSource) -> None:
        self._source = source
        self._excluding = excluding_bits(run.flags)

    def repetitions(self, figure: PointSummary) -> Repetitions | None:
        """Return the repetitions that a figure is made of, in the order measured."""
        columns = self._columns(figure)
        own = columns and repetitions(columns, self._excluding).get(figure.series_index)
        return Repetitions(*(column[own.usable] for column in own)) if own else None

    def pairs(self, figure: PointSummary) -> Columns:
        """Return `rank`, `peer` and `seconds` of the samples of a figure that have a peer."""
        columns = self._columns(figure)
        if not columns:
            return columns
        own = (columns["series"] == figure.series_index) & (columns["peer"] >= 0)
        own &= ((columns["flags"] & self._excluding) == 0) & np.isfinite(columns["seconds"])
        return {name: columns[name][own] for name in ("rank", "peer", "seconds")}

    def _columns(self, figure: PointSummary) -> Columns:
        return _NO_COLUMNS if figure.point is None else self._source.columns(figure.point)
