"""Ratios of all pairs of figures that rules compare in a run, judged all together."""

from collections.abc import Iterable, Mapping

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.results.states import met_alike
from leadline.analysis.stats.comparison import Ratio, time_ratio
from leadline.analysis.stats.rivals import Pair, ratios


class PairRatios:
    """Ratios of all compared pairs of figures, with intervals corrected for the number of pairs.

    How surely two figures differ depends on how many others are compared. So `pairs`, indices of
    figures, are all that are compared in the run, and each is judged once.
    """

    def __init__(self, evidence: Evidence, pairs: Iterable[tuple[int, int]]) -> None:
        self._evidence = evidence
        judged: dict[Pair, None] = {}
        for numerator, denominator in pairs:
            pair = self._launches(numerator, denominator)
            if _comparable(pair) and pair[::-1] not in judged:
                judged[pair] = None
        known = ratios(list(judged), evidence.run.looks) if judged else ()
        self._judged = dict(zip(judged, known, strict=True))

    @property
    def judged(self) -> Mapping[Pair, Ratio]:
        """The ratio of each pair, by the seconds of its launches."""
        return self._judged

    def ratio(self, numerator: int, denominator: int) -> Ratio | None:
        """Return how many times as long the figure `numerator` takes as `denominator`.

        None where a time is not above zero. Pairs of one launch are judged by themselves; of all
        others a pair that was not announced raises KeyError.
        """
        pair = self._launches(numerator, denominator)
        if not _comparable(pair):
            points = self._evidence.points
            return time_ratio(points[numerator], points[denominator])
        return self._judged[pair] if pair in self._judged else self._judged[pair[::-1]].inverse()

    def _launches(self, numerator: int, denominator: int) -> Pair:
        """Return the launches of both in which they met the same state of the machine."""
        above, below = self._evidence.points[numerator], self._evidence.points[denominator]
        if self._evidence.run.looks:
            return above.launch_medians_s, below.launch_medians_s
        return met_alike(above, below)


def _comparable(pair: Pair) -> bool:
    return min(map(len, pair)) > 1 and min(map(min, pair)) > 0
