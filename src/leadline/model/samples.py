"""Raw samples as the store hands them to the analysis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np

    Columns = Mapping[str, np.ndarray[Any, Any]]


class SampleSource(Protocol):
    """Gives the samples of one point at a time, so that memory does not grow with the run."""

    def columns(self, point: int) -> Columns:
        """Return the samples of the point with this index, as arrays of one length.

        Keys: launch, repetition, rank, peer, batch, series (index), flags (bit set), seconds
        (float64), begin (float64, seconds since the launch began on the synchronised clock, NaN
        where not recorded), waited (float64, seconds on the run queue of the rank's core, NaN where
        not recorded) and page_faults (of the rank). Rows are in the order of launch, then as
        recorded.
        """
