"""What the rules of findings hold against each other in a run, judged all together."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from leadline.analysis.findings import contest
from leadline.analysis.findings.kinds import RULES
from leadline.analysis.results.states import met_alike
from leadline.analysis.stats.comparison import Ratio, Timed, time_ratio
from leadline.analysis.stats.rivals import Pair, ratios
from leadline.core.plugins import plugins
from leadline.model.summary import PointSummary

if TYPE_CHECKING:
    from leadline.analysis.findings.evidence import Evidence


class Rivals:
    """The pairs of figures that rules compare, and what is told of each.

    How surely two figures differ depends on how many others are compared. So the rules are asked
    twice: the first time nothing differs, and what they look at is noted.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._noted: dict[Pair, None] | None = None
        self._told: dict[Pair, Ratio] | None = None

    def ratio(self, numerator: Timed, denominator: Timed) -> Ratio | None:
        """Return how many times as long `numerator` takes; None where a time is not above zero.

        Of two launches or more it is judged together with all others. Launches count in which both
        met the same state of the machine.
        """
        pair = self._launches(numerator, denominator)
        if min(map(len, pair)) < 2 or min(map(min, pair)) <= 0:
            return time_ratio(numerator, denominator)
        if self._noted is not None:
            self._note(pair)
            return None
        told = self.told
        if pair not in told and pair[::-1] not in told:
            # Asked for only after something else had differed.
            self._told = told = _judged([*told, pair], self._evidence)
        return told[pair] if pair in told else told[pair[::-1]].inverse()

    def _launches(self, numerator: Timed, denominator: Timed) -> Pair:
        """Return the launches of both; all of them where each look must have as many."""
        if self._evidence.run.looks:
            return numerator.launch_medians_s, denominator.launch_medians_s
        if isinstance(numerator, PointSummary) and isinstance(denominator, PointSummary):
            return met_alike(numerator, denominator)
        return numerator.launch_medians_s, denominator.launch_medians_s

    @property
    def told(self) -> dict[Pair, Ratio]:
        """Every pair that rules compare, in one order, and its ratio."""
        if self._told is None:
            self._noted = {}
            for find in plugins(RULES, "find"):
                if _compares(find.__module__):
                    list(find(self._evidence))
            noted, self._noted = self._noted, None
            self._told = _judged(list(noted), self._evidence)
        return self._told

    def _note(self, pair: Pair) -> None:
        assert self._noted is not None
        if pair[::-1] not in self._noted:
            self._noted[pair] = None


def _judged(pairs: list[Pair], evidence: Evidence) -> dict[Pair, Ratio]:
    return dict(zip(pairs, ratios(pairs, evidence.run.looks), strict=True)) if pairs else {}


def _compares(rule: str) -> bool:
    """Tell whether a rule holds choices against each other: then it has taken what does so."""
    taken = vars(sys.modules[rule]).values()
    return any(getattr(each, "__module__", "") == contest.__name__ for each in taken)
