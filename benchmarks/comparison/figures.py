"""What the launches say: figures, their spread, and one tool's over the other's. Pure."""

from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from comparison.cases import Case, points, sweep
from comparison.measure import Measurement
from leadline.analysis.stats.statistics import coefficient_of_variation

AGREEMENT = 0.03
SPREAD = {"quiet": 1 / 3, "disturbed": 1 / 5}
# Launches within this factor of a contender's lowest found the machine in its usual state.
STEADY = 1.25


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """What one contender reported of one size (bytes) under one condition, over its launches.

    Times in seconds; `variation` is the standard deviation over the mean, None for one launch.
    `steady_variation` is that of the `steady_launches` alone: those within 25 % of the lowest.
    `wall_s` is the median of the launches' wall times, each of which measured all of the sizes.
    """

    case: str
    condition: str
    bytes: int
    contender: str
    launches: int
    median_s: float
    lowest_s: float
    variation: float | None
    steady_variation: float | None
    steady_launches: int
    wall_s: float


class Ratio(msgspec.Struct, frozen=True, kw_only=True):
    """leadline over IMB: of the medians, of leadline's median and IMB's best run, of the spreads.

    `misses` names what of the goal is missed: `figure` (when quiet, more than 3 % from IMB's
    best run) and `spread` (more than a third of IMB's when quiet, a fifth when disturbed). A
    ratio is None where IMB's launches printed the same digits or one of the tools ran only once.
    """

    case: str
    condition: str
    bytes: int
    own: str
    peer: str
    medians: float | None
    over_best: float | None
    variations: float | None
    steady_variations: float | None
    misses: tuple[str, ...]


class Wall(msgspec.Struct, frozen=True, kw_only=True):
    """The median wall time in seconds of a contender's default sweep."""

    contender: str
    launches: int
    wall_s: float


def figures(measurements: Sequence[Measurement], cases: Iterable[Case]) -> list[Figure]:
    """Return the figures of the cases, by size and condition, contenders in their order."""
    found = []
    for case in cases:
        for size in case.bytes:
            for condition in ("quiet", "disturbed"):
                for contender in case.contenders:
                    launches = [
                        each
                        for each in measurements
                        if (each.case, each.condition, each.contender)
                        == (case.name, condition, contender.name)
                    ]
                    if launches:
                        found.append(_figure(launches, size))
    return found


def _figure(launches: Sequence[Measurement], size: int) -> Figure:
    seconds = np.array([each.reading.seconds[size] for each in launches])
    steady = seconds[seconds <= STEADY * seconds.min()]
    return Figure(
        case=launches[0].case,
        condition=launches[0].condition,
        bytes=size,
        contender=launches[0].contender,
        launches=len(launches),
        median_s=float(np.median(seconds)),
        lowest_s=float(seconds.min()),
        variation=coefficient_of_variation(seconds),
        steady_variation=coefficient_of_variation(steady),
        steady_launches=len(steady),
        wall_s=float(np.median([each.wall_s for each in launches])),
    )


def ratios(found: Iterable[Figure]) -> list[Ratio]:
    """Return leadline's figures over IMB's for the pairs of the points, where both are there."""
    table = {(each.case, each.condition, each.bytes, each.contender): each for each in found}
    return [
        _ratio(table[own], table[peer])
        for case in points()
        for size in case.bytes
        for condition in SPREAD
        for names in case.pairs
        for own, peer in [tuple((case.name, condition, size, name) for name in names)]
        if own in table and peer in table
    ]


def _ratio(own: Figure, peer: Figure) -> Ratio:
    over_best = _over(own.median_s, peer.lowest_s)
    variations = _over(own.variation, peer.variation)
    differs = over_best is not None and abs(over_best - 1) > AGREEMENT
    unsteady = variations is not None and variations > SPREAD[own.condition]
    return Ratio(
        case=own.case,
        condition=own.condition,
        bytes=own.bytes,
        own=own.contender,
        peer=peer.contender,
        medians=_over(own.median_s, peer.median_s),
        over_best=over_best,
        variations=variations,
        steady_variations=_over(own.steady_variation, peer.steady_variation),
        misses=(
            *(("figure",) if own.condition == "quiet" and differs else ()),
            *(("spread",) if unsteady else ()),
        ),
    )


def _over(own: float | None, peer: float | None) -> float | None:
    """Return the ratio; None where either is missing, or the peer's figure was printed as 0."""
    return own / peer if own is not None and peer else None


def walls(measurements: Iterable[Measurement]) -> list[Wall]:
    """Return the wall times of the default sweeps."""
    case, measurements = sweep(), list(measurements)
    taken = {
        contender.name: [
            each.wall_s
            for each in measurements
            if (each.case, each.contender) == (case.name, contender.name)
        ]
        for contender in case.contenders
    }
    return [
        Wall(contender=name, launches=len(times), wall_s=float(np.median(times)))
        for name, times in taken.items()
        if times
    ]


def findings(measurements: Iterable[Measurement], condition: str) -> tuple[int, dict[str, int]]:
    """Return how many runs of leadline's points there were, and how many reported each finding."""
    names = {case.name: {own for own, _ in case.pairs} for case in points()}
    runs = [
        set(each.reading.findings)
        for each in measurements
        if each.condition == condition and each.contender in names.get(each.case, ())
    ]
    kinds = sorted(set().union(*runs))
    return len(runs), {kind: sum(kind in run for run in runs) for kind in kinds}
