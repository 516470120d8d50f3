"""Points without a figure, each with its reason, and the shares of pairs that talk at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.analysis.results.summary import Repetitions
from leadline.analysis.stats import launches as over_launches
from leadline.model.plan import Point
from leadline.model.run import Launch, Outcome, Run
from leadline.model.samples import EXCLUDING_FLAGS
from leadline.model.summary import MissingFigure, PairShare, PairShares, PointSummary

if TYPE_CHECKING:
    from leadline.model.samples import Columns

# By a flag that excludes a repetition.
_MEANING = {
    "late_start": "a rank came too late for the agreed start",
    "failed_verification": "the check after them found wrong data",
}


def missing_figure(run: Run, point: Point, every: Mapping[int, Repetitions]) -> MissingFigure:
    """Return why `point` has no figure; `every` are its repetitions by the index of a series."""
    flags = {
        name: flagged
        for bit, name in enumerate(run.flags)
        if (flagged := max((int(((r.flags >> bit) & 1).sum()) for r in every.values()), default=0))
    }
    set_aside = max((len(each.seconds) for each in every.values()), default=0)
    skipped = _skip_reasons(run, point)
    results = [one for launch in run.launches for one in launch.points if one.point == point.index]
    requested = point.axes.get("bytes")
    if set_aside:
        reason = _why_set_aside(flags)
    elif any(result.wrong_bytes for result in results):
        reason = "the check before the first repetition found wrong data"
    elif skipped:
        reason = "; ".join(skipped)
    else:
        reason = "; ".join(dict.fromkeys(_why_not_measured(run, point)))
    return MissingFigure(
        point=point.index,
        benchmark=point.benchmark,
        axes=point.axes,
        settings=point.settings,
        knobs=point.knobs,
        bytes=requested if isinstance(requested, int) else None,
        processes=point.placement.processes,
        nodes=point.placement.nodes,
        processes_per_node=point.placement.processes_per_node,
        mpi=point.mpi,
        reason=reason,
        oversubscribed=any(each.oversubscribed for each in run.launches if _covers(each, point)),
        left_out=bool(skipped) and not set_aside,
        set_aside=set_aside,
        flags=flags,
        failed_trials=tuple(dict.fromkeys(name for r in results for name in r.failed_trials)),
    )


def _why_set_aside(flags: Mapping[str, int]) -> str:
    reasons = [_MEANING[name] for name in EXCLUDING_FLAGS if flags.get(name)]
    return f"every repetition is set aside: {' or '.join(reasons) or 'its time is no number'}"


def _skip_reasons(run: Run, point: Point) -> Sequence[str]:
    skips = (skip for launch in run.launches for skip in launch.skipped)
    return tuple(dict.fromkeys(skip.reason for skip in skips if skip.point == point.index))


def _why_not_measured(run: Run, point: Point) -> Iterator[str]:
    ended = [launch for launch in run.launches if _covers(launch, point)]
    alike: dict[Outcome, list[str]] = {}
    for launch in ended:
        if launch.outcome.state != "complete":
            alike.setdefault(launch.outcome, []).append(str(launch.launch + 1))
    for outcome, numbers in alike.items():
        message = f": {outcome.message}" if outcome.message else ""
        which = f"launch{'es' * (len(numbers) > 1)} {', '.join(numbers)}"
        yield f"{which} ended {outcome.state} before it{message}"
    if all(launch.outcome.state == "complete" for launch in ended):
        message = f": {run.outcome.message}" if run.outcome.message else ""
        running = run.outcome.state == "running"
        yield "it is not measured yet" if running else f"the run ended {run.outcome.state}{message}"


def _covers(launch: Launch, point: Point) -> bool:
    place = (launch.nodes, launch.processes_per_node)
    requested = (point.placement.nodes, point.placement.processes_per_node)
    return (launch.mpi, place) == (point.mpi, requested) and launch.knobs == point.knobs


# The metric that says how many pairs talk at once.
PAIRS = "pairs"


def pairs_of_point(
    figures: Sequence[PointSummary], columns: Columns, excluding: int
) -> Iterator[PairShares]:
    """Yield the shares of each figure of pairs that talk at once, which is named by its index.

    Samples with any flag of the bit set `excluding` are left out.
    """
    for index, figure in enumerate(figures):
        if PAIRS not in figure.metrics:
            continue
        kept = (columns["flags"] & excluding) == 0
        kept &= (columns["series"] == figure.series_index) & (columns["peer"] >= 0)
        medians = _median_by_launch({name: columns[name][kept] for name in _READ})
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
