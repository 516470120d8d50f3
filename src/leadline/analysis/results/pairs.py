"""The shares of pairs of ranks that talk at once: what each gets of all that they move."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.analysis.stats import launches as over_launches
from leadline.model.summary import PairShare, PairShares, PointSummary

if TYPE_CHECKING:
    from leadline.model.samples import Columns

# The metric that says how many pairs talk at once.
PAIRS = "pairs"


def pairs_of_point(
    figures: Sequence[PointSummary], columns: "Columns", excluding: int
) -> Iterator[PairShares]:
    """Yield the shares of each figure of pairs that talk at once, which is named by its index.

    Samples with any flag of the bit set `excluding` are left out.
    """
    for index, figure in enumerate(figures):
        if PAIRS not in figure.metrics:
            continue
        own = (columns["flags"] & excluding) == 0
        own &= (columns["series"] == figure.series_index) & (columns["peer"] >= 0)
        medians = _median_by_launch({name: columns[name][own] for name in _READ})
        if medians:
            yield _shares(index, figure, medians)


_READ = ("launch", "rank", "peer", "seconds")
# In each launch the median time of each pair in seconds.
_Medians = Sequence[dict[tuple[int, int], float]]


def _median_by_launch(columns: dict[str, Any]) -> _Medians:
    named = np.stack([columns[name] for name in _READ[:3]])
    every, which = np.unique(named, axis=1, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    ends = np.flatnonzero(np.diff(which.ravel()[order])) + 1
    found: dict[int, dict[tuple[int, int], float]] = defaultdict(dict)
    parts = np.split(columns["seconds"][order], ends)
    for (launch, rank, peer), part in zip(every.T.tolist(), parts, strict=False):
        if (median := float(np.median(part))) > 0:
            found[launch][rank, peer] = median
    return list(found.values())


def _shares(index: int, figure: PointSummary, medians: _Medians) -> PairShares:
    """Return the shares launch by launch, each pair's over those launches in which it played."""
    shares: dict[tuple[int, int], list[float]] = defaultdict(list)
    seconds: dict[tuple[int, int], list[float]] = defaultdict(list)
    totals = []
    for by_pair in medians:
        # Operations a second of all pairs: a share is one of what they move.
        total = sum(1 / each for each in by_pair.values())
        totals.append(total)
        for pair, each in by_pair.items():
            shares[pair].append(1 / each / total)
            seconds[pair].append(each)
    moved = (figure.bandwidth_MBps or 0.0) * figure.median_s
    return PairShares(
        point=index,
        fair_share=1 / max(map(len, medians)),
        total_MBps=moved * float(np.median(totals)) if moved else None,
        pairs=tuple(
            _share(pair, shares[pair], float(np.median(seconds[pair])), moved)
            for pair in sorted(shares)
        ),
    )


def _share(
    pair: tuple[int, int], shares: Sequence[float], seconds: float, moved: float
) -> PairShare:
    interval = None
    if len(shares) > 1:
        interval = over_launches.estimate([np.array([each]) for each in shares]).interval
    return PairShare(
        rank=pair[0],
        peer=pair[1],
        seconds=seconds,
        MBps=moved / seconds if moved else None,
        share=float(np.median(shares)),
        share_low=interval.low if interval else None,
        share_high=min(1.0, interval.high) if interval else None,
    )
