"""The effect of interference: what figures took with and without it, and how surely by it."""

import itertools
import statistics
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from leadline.analysis.compare.interference import Party, parties, watched
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.stats.comparison import Ratio, Series, time_ratio
from leadline.analysis.stats.ranks import Stratum, association
from leadline.analysis.stats.student import holm

# Every party is one more test; who takes little is left out of them.
_MOST_PARTIES = 4


class Split(NamedTuple):
    """A figure by the launches with and without a party: seconds, and the ratio of the former."""

    figure: int
    within: tuple[float, ...]
    without: tuple[float, ...]
    ratio: Ratio


class InterferenceEffect(NamedTuple):
    """A party next to the figures of a benchmark.

    `p_value` is corrected for all parties and benchmarks; `least_p_value` is what so few launches
    can give at all, corrected too. `splits` are the figures, the one that suffered most first, and
    `typical` is the ratio of all of them together. `launches` are those of the strata that can
    tell, `together` of how many of them the party was part; `at_once` says that these follow on
    each other.
    """

    party: Party
    benchmark: str
    p_value: float
    least_p_value: float
    typical: Ratio
    splits: tuple[Split, ...]
    launches: int
    together: int
    at_once: bool


def interference_effects(evidence: Evidence) -> tuple[InterferenceEffect, ...]:
    """Return every party beside every benchmark that has launches with and without it."""
    found = []
    for party in _largest(evidence):
        for benchmark in evidence.run.benchmarks:
            if one := _effect_of(evidence, party, benchmark.name):
                found.append(one)
    adjusted = holm([one.p_value for one in found])
    return tuple(
        one._replace(p_value=p_value, least_p_value=min(1.0, one.least_p_value * len(found)))
        for one, p_value in zip(found, adjusted, strict=True)
    )


def _largest(evidence: Evidence) -> Sequence[Party]:
    everywhere = len(watched(evidence.run))
    some = [each for each in parties(evidence.run) if len(each.launches) < everywhere]
    # Parties of jobs first, then those that use more.
    return some[:_MOST_PARTIES]


def _effect_of(evidence: Evidence, party: Party, benchmark: str) -> InterferenceEffect | None:
    strata, splits, scores, together = _strata(evidence, party, benchmark)
    found = association([each for _, each in strata])
    if found is None:
        return None
    ratio = time_ratio(_series(scores[True]), _series(scores[False]), "apart")
    if ratio is None or not splits:
        return None
    numbers = sorted({number for launches, _ in strata for number in launches})
    there = [number in together for number in numbers]
    return InterferenceEffect(
        party=party,
        benchmark=benchmark,
        p_value=found.p_value,
        least_p_value=found.least_p_value,
        typical=ratio,
        splits=tuple(sorted(splits, key=lambda one: -one.ratio.median)),
        launches=len(numbers),
        together=sum(there),
        at_once=sum(one != two for one, two in itertools.pairwise(there)) <= 2,
    )


def _strata(
    evidence: Evidence, party: Party, benchmark: str
) -> tuple[
    list[tuple[tuple[int, ...], Stratum]], list[Split], dict[bool, list[float]], frozenset[int]
]:
    """Return the launches that are alike with their figures, these apart, and launches as a whole.

    Figures count that all their launches finished and somebody looked on at.
    """
    known = frozenset(watched(evidence.run))
    together = frozenset(party.launches)
    rows: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for index, point in enumerate(evidence.points):
        if point.benchmark != benchmark:
            continue
        numbers = tuple(launch.launch for launch, _ in evidence.reports(index))
        fits = len(numbers) == len(point.launch_medians_s) == len(set(numbers))
        timed = min(point.launch_medians_s, default=0.0) > 0
        if fits and timed and known.issuperset(numbers):
            rows[numbers].append(index)
    strata, splits = [], []
    scores: dict[bool, list[float]] = {True: [], False: []}
    used: set[int] = set()
    for numbers, indices in sorted(rows.items(), key=lambda each: -len(each[0]) * len(each[1])):
        # A launch counts once, however many of its points were cut.
        if used.intersection(numbers):
            continue
        used.update(numbers)
        present = np.array([number in together for number in numbers])
        if not 0 < present.sum() < len(numbers):
            continue
        medians = np.array([evidence.points[index].launch_medians_s for index in indices])
        stratum = Stratum(np.log(medians), present)
        strata.append((numbers, stratum))
        for there, score in zip(present.tolist(), stratum.scores.tolist(), strict=True):
            scores[there].append(float(np.exp(score)))
        for index, row in zip(indices, medians, strict=True):
            within, without = tuple(row[present].tolist()), tuple(row[~present].tolist())
            ratio = time_ratio(_series(within), _series(without), "apart")
            if ratio:
                splits.append(Split(index, within, without, ratio))
    return strata, splits, scores, together


def _series(seconds: Sequence[float]) -> Series:
    return Series(statistics.median(seconds), None, tuple(seconds))
