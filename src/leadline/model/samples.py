"""Raw samples as the store hands them to the analysis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np

    Columns = Mapping[str, np.ndarray[Any, Any]]


# Flags of a sample that take its whole repetition out of the statistics.
EXCLUDING_FLAGS = ("late_start", "failed_verification")


def excluding_bits(flags: Sequence[str]) -> int:
    """Return the set of bits, among these names of flags, that exclude a repetition."""
    return sum(1 << flags.index(name) for name in EXCLUDING_FLAGS if name in flags)


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
