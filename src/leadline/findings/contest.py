"""Two ways of doing the same, compared size by size."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from leadline.analyse.comparison import Ratio, clearly_longer, time_ratio
from leadline.findings.evidence import Evidence
from leadline.findings.words import ratio_text, sizes_text
from leadline.model.summary import PointSummary

# The size in bytes, -1 where a point has none, to the index of the figure.
Curve = Mapping[int, int]


class Win(NamedTuple):
    """At this size the figure `loser` takes `ratio` times as long as the figure `winner`."""

    size: int
    ratio: Ratio
    winner: int
    loser: int


class Contest(NamedTuple):
    """A choice against the default one: where it is clearly faster, and where slower."""

    choice: str
    default: str
    sizes: Sequence[int]
    faster: Sequence[Win]
    slower: Sequence[Win]

    @property
    def wins(self) -> tuple[Win, ...]:
        """Every size with a clear difference."""
        return (*self.faster, *self.slower)

    @property
    def figures(self) -> tuple[int, ...]:
        """The indices of all figures that differ clearly."""
        return tuple(index for win in self.wins for index in (win.winner, win.loser))

    def text(self) -> str:
        """Return what came out, such as `faster at 8 B, 2 times (1.9 to 2.1)`."""
        parts = (("faster", self.faster), ("slower", self.slower))
        told = [f"{word} {self._where(wins)}" for word, wins in parts if wins]
        if unclear := len(self.sizes) - len(self.wins):
            told.append(f"not clearly different at {unclear} of {len(self.sizes)} sizes")
        return "; ".join(told)

    def numbers(self) -> dict[str, float]:
        """Return the evidence: how many sizes each wins, and the largest ratio of each."""
        numbers = {}
        for word, wins in (("faster", self.faster), ("slower", self.slower)):
            numbers[f"sizes_{word}"] = float(len(wins))
            if wins:
                best = _largest(wins)
                numbers |= best.ratio.evidence(f"{word}_ratio")
                if best.size >= 0:
                    numbers[f"{word}_at_bytes"] = float(best.size)
        return numbers

    def _where(self, wins: Sequence[Win]) -> str:
        best = _largest(wins)
        if best.size < 0:
            return ratio_text(best.ratio)
        place = f"at {sizes_text(self.sizes, [win.size for win in wins])}"
        if len(wins) == 1:
            return f"{place}, {ratio_text(best.ratio)}"
        return f"{place}, up to {ratio_text(best.ratio)} at {sizes_text(self.sizes, [best.size])}"


def curves_by(
    evidence: Evidence,
    indices: Sequence[int],
    choice: Callable[[PointSummary], str],
    rest: Callable[[PointSummary], object],
) -> Iterator[dict[str, Curve]]:
    """Yield the curve of each choice, once for each value of `rest`, what they have in common."""
    found: dict[object, dict[str, dict[int, int]]] = defaultdict(lambda: defaultdict(dict))
    for index in indices:
        point = evidence.points[index]
        size = -1 if point.bytes is None else point.bytes
        found[rest(point)][choice(point)][size] = index
    for by_choice in found.values():
        yield dict(by_choice)


def contests(evidence: Evidence, curves: Mapping[str, Curve], default: str) -> Iterator[Contest]:
    """Yield each choice against `default` where there is any clear difference."""
    for choice, curve in curves.items():
        if choice == default:
            continue
        common = sorted(curve.keys() & curves[default].keys())
        faster = _wins(evidence, curve, curves[default], common)
        slower = _wins(evidence, curves[default], curve, common)
        if faster or slower:
            yield Contest(choice, default, common, faster, slower)


def _wins(evidence: Evidence, winner: Curve, loser: Curve, sizes: Sequence[int]) -> list[Win]:
    found = []
    for size in sizes:
        ratio = time_ratio(evidence.points[loser[size]], evidence.points[winner[size]])
        if ratio is not None and clearly_longer(ratio):
            found.append(Win(size, ratio, winner[size], loser[size]))
    return found


def _largest(wins: Sequence[Win]) -> Win:
    return max(wins, key=lambda win: win.ratio.median)
