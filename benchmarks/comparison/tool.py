"""What a program under comparison is: how it is started, and how its output is read."""

from typing import Protocol

import msgspec

from comparison.cases import Contender
from leadline.model.job import Start


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What one launch of a tool reported: its figure in seconds by size in bytes.

    Only leadline fills the rest: the kinds of its findings, and the processors of its ranks.
    """

    seconds: dict[int, float]
    findings: tuple[str, ...] = ()
    processors: tuple[int, ...] = ()


class Tool(Protocol):
    """A program under comparison."""

    def start(self, contender: Contender, sizes: tuple[int, ...]) -> Start:
        """Return what to execute for these sizes in bytes; none mean the tool's own sweep."""

    def read(self, output: str, contender: Contender, sizes: tuple[int, ...]) -> Reading:
        """Return what it printed. Raises `UserError` for output that is not understood."""
