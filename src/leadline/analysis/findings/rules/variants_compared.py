"""Algorithms and other ways to do the same that are faster than the default one, by size."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from leadline.analysis.findings.contest import (
    Case,
    Contest,
    Win,
    contests_over,
    largest,
    side_texts,
    ways,
)
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rules.neighbours_disturb import NEIGHBOURS
from leadline.analysis.findings.words import (
    TUNE,
    and_text,
    library_axis,
    name_of,
    sizes_text,
    span,
    sure_end,
    tuning,
)
from leadline.model.description import Axis
from leadline.model.profile import LIBRARY
from leadline.model.summary import Finding

TOPIC = "choice"
ADVICE = "Use the fastest choice; `leadline tune` and `leadline exec` do for unchanged programs."
EVIDENCE = {
    "*": "sizes or cases at which the fastest choice wins and loses, with the largest ratios",
}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each benchmark and MPI with a choice that is faster than the default.

    At each size the fastest choice speaks. Choices that only lose are no finding, but of an import,
    of which none is the default: there they are a fact.
    """
    for benchmark in evidence.run.benchmarks:
        for axis, indices in ways(evidence, benchmark):
            if axis.name not in NEIGHBOURS:
                yield from _of_axis(evidence, axis, indices)


def _of_axis(evidence: Evidence, axis: Axis, indices: list[int]) -> Iterator[Finding]:
    """Yield one finding a series and MPI: of the other choices those that gain most."""
    groups: dict[object, list[list[Contest]]] = defaultdict(list)
    for found in contests_over(evidence, axis, indices):
        if any(one.faster for one in found):
            point = evidence.points[found[0].figures[0]]
            groups[point.series, point.mpi].append(found)
        elif found and evidence.run.imported:
            yield _slower(evidence, axis, found)
    for alike in groups.values():
        most = max(alike, key=lambda found: largest(_fastest(found).faster).ratio.median)
        yield _finding(evidence, axis, most)


def _fastest(found: Sequence[Contest]) -> Contest:
    """Return the fastest choice of each case against the default, as one contest."""
    faster: dict[Case, Win] = {}
    slower: dict[Case, Win] = {}
    for one in found:
        for win in one.faster:
            faster[win.case] = max(faster.get(win.case, win), win, key=_ratio)
        for win in one.slower:
            slower[win.case] = min(slower.get(win.case, win), win, key=_ratio)
    cases = sorted({case for one in found for case in one.cases})
    beaten = {
        case: win
        for case, win in slower.items()
        if all(case not in one.cases or case in {w.case for w in one.slower} for one in found)
    }
    return Contest(
        found[0].choice, found[0].default, cases, tuple(faster.values()), tuple(beaten.values())
    )


def _ratio(win: Win) -> float:
    return win.ratio.median


def _finding(evidence: Evidence, axis: Axis, found: Sequence[Contest]) -> Finding:
    contest = _fastest(found)
    won = {win.winner for win in contest.faster}
    winners = [one for one in found if won & {win.winner for win in one.faster}]
    name = name_of(evidence, contest.faster[0].winner, without=[axis.name, *contest.told])
    sides = side_texts(evidence, winners[0])
    if len(winners) > 1:
        sides = (_several(winners, won), sides[1])
    of_library = axis == library_axis(evidence, evidence.points[contest.figures[0]].benchmark)
    command = tuning(evidence, contest.figures[0]) if contest.default == LIBRARY else None
    other = "the library" if of_library and contest.default == LIBRARY else sides[1]
    advice = None
    if command:
        advice = TUNE
    elif of_library or not evidence.run.imported:
        advice = f"Use {sides[0] if len(winners) == 1 else 'the fastest one'} there."
    return contest.finding(
        "notice",
        f"{name}: {contest.sentences(sides[0], other)}",
        advice,
        command=command or contest.proof(evidence),
        gain=contest.gain,
    )


def _slower(evidence: Evidence, axis: Axis, found: Sequence[Contest]) -> Finding:
    worst = max(found, key=lambda one: largest(one.slower).ratio.median)
    name = name_of(evidence, worst.figures[0], without=[axis.name, *worst.told])
    ratios = [(one.choice, [sure_end(win.ratio) for win in one.slower]) for one in found]
    than = and_text([f"{choice} ({span(each)})" for choice, each in ratios])
    return Finding(
        severity="fact",
        text=f"{name}: {worst.default.replace('_', ' ')} is faster than {than.replace('_', ' ')}.",
        effect=worst.effect,
        evidence=worst.numbers() | {"choices_slower": float(len(found))},
        points=tuple(dict.fromkeys(index for one in found for index in one.figures)),
    )


def _several(winners: Sequence[Contest], won: set[int]) -> str:
    """Return several choices, each with the sizes at which it is the fastest."""
    told = []
    for one in winners:
        own = [win.size for win in one.faster if win.winner in won]
        where = f" ({sizes_text([case.size for case in one.cases], own)})" if min(own) >= 0 else ""
        told.append(one.choice.replace("_", " ") + where)
    return f"the fastest of {and_text(told)}"
