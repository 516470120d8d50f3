"""One-sided or two-sided communication: which delivers data sooner, by size."""

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from leadline.analysis.findings.advice import Advise
from leadline.analysis.findings.contest import (
    Case,
    Contest,
    Curve,
    Match,
    PairRatios,
    Win,
    crossing_text,
)
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.words import again, name_of, place_of, sizes_text
from leadline.core.units import format_bytes
from leadline.model.run import variant
from leadline.model.summary import Advice, Finding, PointSummary

_ONE, _TWO = "one-sided", "two-sided"


class _Question(NamedTuple):
    """Both sides at one place, their fastest figures as a match, and whose they are."""

    who: str
    sides: Mapping[str, Sequence[int]]
    match: Match

    @property
    def points(self) -> tuple[int, ...]:
        cases = sorted(self.match.curves[_ONE].keys() & self.match.curves[_TWO].keys())
        return tuple(self.match.curves[side][case] for side in (_ONE, _TWO) for case in cases)


def _questions(evidence: Evidence) -> Iterator[_Question]:
    """Yield one for each library that has both sides, and one for all libraries together."""
    places: dict[object, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for index, point in enumerate(evidence.points):
        if side := evidence.delivery(point):
            places[_place(point)][side].append(index)
    for sides in places.values():
        libraries = {side: {evidence.points[i].mpi for i in sides[side]} for side in (_ONE, _TWO)}
        together = None
        if len(libraries[_ONE] | libraries[_TWO]) > 1:
            together = _question(evidence, sides, "with the fastest library for each")
        for mpi in sorted(libraries[_ONE] & libraries[_TWO]):
            of_mpi = {side: [i for i in each if evidence.points[i].mpi == mpi]
                   for side, each in sides.items()}  # fmt: skip
            alone = _question(evidence, of_mpi, f"with {mpi}")
            # The library that is the fastest everywhere needs no answer of its own.
            if alone.points and not (together and alone.points == together.points):
                yield alone
        if together and together.points:
            yield together


def _question(evidence: Evidence, sides: Mapping[str, Sequence[int]], who: str) -> _Question:
    curves = {side: _fastest(evidence, sides.get(side, ())) for side in (_ONE, _TWO)}
    return _Question(who, sides, Match(curves, _TWO))


def _matches(evidence: Evidence) -> Iterator[Match]:
    return (question.match for question in _questions(evidence))


@rule(
    "choice",
    cure="Use the kind of communication that is faster at the sizes that your program sends.",
    evidence={
        "sizes_unclear": "sizes without a clear difference",
        "sizes_disturbed": "sizes left out because other programs disturbed them",
        "crossover_from_bytes": "last size before the order changes",
        "crossover_to_bytes": "first size after it",
        "*": "sizes at which one-sided is faster and slower, with the largest ratio of each",
    },
    matches=_matches,
)
def one_sided(evidence: Evidence, ratios: PairRatios) -> Iterator[Finding]:
    """One-sided or two-sided communication: which delivers data sooner, by size.

    Only figures of one meaning are compared: the time until the target knows that it may use the
    data, as the benchmarks themselves declare. A side is as fast as its fastest way at each size.
    """
    for question in _questions(evidence):
        yield _answer(evidence, question, ratios)


def _place(point: PointSummary) -> object:
    # Each benchmark has a start of its own; what the caches hold must be the same.
    settings = {name: value for name, value in point.settings.items() if name != "start"}
    return (point.nodes, point.processes_per_node, variant({}, settings))


def _answer(evidence: Evidence, question: _Question, ratios: PairRatios) -> Finding:
    curves, sides = question.match.curves, question.sides
    (found,) = question.match.contests(ratios)
    sizes = [case.size for case in found.cases]
    place = place_of(evidence.points[curves[_ONE][found.cases[0]]])
    figures = question.points
    crossing = _find_crossing(found)
    numbers = found.numbers()
    numbers["sizes_unclear"] = float(len(sizes) - len(found.wins))
    disturbed = _sizes(evidence, sides, _ONE) & _sizes(evidence, sides, _TWO) - set(sizes)
    numbers["sizes_disturbed"] = float(len(disturbed))
    if crossing:
        numbers["crossover_from_bytes"], numbers["crossover_to_bytes"] = map(float, crossing)
    return Finding(
        severity="fact",
        text=f"Delivery on {place}, {question.who}: {found.sentences(_ONE, _TWO)}"
        f"{crossing_text(crossing)} One-sided is {_ways(evidence, curves[_ONE], sizes)}. "
        f"Two-sided is {_ways(evidence, curves[_TWO], sizes)}.",
        effect=found.effect,
        evidence=numbers,
        advice=_advice(found, crossing),
        command=_command(evidence, figures) if found.wins else None,
        gain=found.gain,
        points=figures,
    )


def _fastest(evidence: Evidence, indices: Sequence[int]) -> Curve:
    fastest: dict[Case, int] = {}
    usable = [index for index in indices if not evidence.mostly_disturbed(index)]
    for index in sorted(usable, key=lambda index: evidence.points[index].median_s):
        fastest.setdefault(Case(evidence.points[index].bytes or 0), index)
    return fastest


def _sizes(evidence: Evidence, sides: Mapping[str, Sequence[int]], side: str) -> set[int]:
    return {evidence.points[index].bytes or 0 for index in sides.get(side, ())}


def _find_crossing(contest: Contest) -> tuple[int, int] | None:
    """Return the clear sizes around the only change of the faster side, where there is one."""
    ordered = sorted(contest.wins, key=lambda win: win.size)
    changes = [
        (before.size, after.size)
        for before, after in itertools.pairwise(ordered)
        if _is_faster(contest, before) != _is_faster(contest, after)
    ]
    return changes[0] if len(changes) == 1 else None


def _is_faster(contest: Contest, win: Win) -> bool:
    return win in contest.faster


def _ways(evidence: Evidence, curve: Curve, sizes: Sequence[int]) -> str:
    by_name: dict[str, list[int]] = defaultdict(list)
    for size in sizes:
        by_name[name_of(evidence, curve[Case(size)], without=["bytes"])].append(size)
    if len(by_name) == 1:
        return next(iter(by_name))
    return ", ".join(f"{name} at {sizes_text(sizes, each)}" for name, each in by_name.items())


def _advice(contest: Contest, crossing: tuple[int, int] | None) -> Advice | None:
    if not contest.wins:
        return None
    if crossing:
        first = min(contest.wins, key=lambda win: win.size)
        small, large = (_ONE, _TWO) if _is_faster(contest, first) else (_TWO, _ONE)
        sizes = [format_bytes(size) for size in crossing]
        return Advise.USE_BOTH_SIDES(small=small, last=sizes[0], large=large, first=sizes[1])
    side = _ONE if len(contest.faster) >= len(contest.slower) else _TWO
    return Advise.USE_SIDE(side=side)


def _command(evidence: Evidence, figures: Sequence[int]) -> str | None:
    groups = list(evidence.groups(dict.fromkeys(figures)))
    benchmarks = {evidence.points[group[0]].benchmark for group in groups}
    return again(evidence, figures, launches=10) if len(benchmarks) == 1 else None
