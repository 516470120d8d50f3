"""Placements: which is faster, and whether ranks ran where they were to."""

import statistics
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from leadline.analysis.findings.advice import Advise
from leadline.analysis.findings.contest import (
    Case,
    Contest,
    Curve,
    Match,
    PairRatios,
    case_of,
    crossing_text,
    largest,
)
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.words import again, name_of, place_of, span, sure_end
from leadline.analysis.results.program import communication_fraction
from leadline.core.units import count, format_bytes, percent
from leadline.model.run import Launch
from leadline.model.summary import Advice, Finding, PointSummary
from leadline.topology.rank_order.order import find_misplaced

# The order of two curves counts as changed where so many sizes in a row agree.
_SURE = 3


class _Packing(NamedTuple):
    """A contest of figures packed on fewer nodes (the choice) against those spread over more."""

    contest: Contest
    packed: Curve
    spread: Curve


def _matches(evidence: Evidence) -> Iterator[Match]:
    """Yield for each series, MPI and choice the placements on fewer nodes against the most."""
    curves: dict[tuple[str, str, str, str], dict[int, dict[Case, int]]]
    curves = defaultdict(lambda: defaultdict(dict))
    for index, point in enumerate(evidence.points):
        if point.verified and not point.oversubscribed:
            key = (point.benchmark, point.series, point.mpi, evidence.choices(point))
            curves[key][point.processes_per_node][_case(evidence, point)] = index
    for (benchmark, name, *_), by_each in curves.items():
        least = min(by_each)
        for each in sorted(by_each):
            if by_each[each].keys() & by_each[least].keys() and each != least:
                series = f"{benchmark} {name} {each} {least}"
                yield _match(evidence, by_each[each], by_each[least], series)


@rule(
    "choice",
    cure="Choose between fewer nodes and less time.",
    evidence={
        "variants": "choices and MPIs with both placements",
        "variants_clear": "those with a clear difference",
        "crossover_from_bytes": "last size before the order changes",
        "crossover_to_bytes": "first size after it",
        "explained_by_communication_fraction": "part of the loss that is communication",
        "*": "sizes or cases at which fewer nodes are faster and slower, with the largest ratios",
    },
    matches=_matches,
)
def placements_compared(evidence: Evidence, ratios: PairRatios) -> Iterator[Finding]:
    """Placements of the same processes on fewer nodes or on more: which is faster."""
    series: dict[str, list[_Packing]] = defaultdict(list)
    for match in _matches(evidence):
        series[match.of].append(_Packing(next(match.contests(ratios)), *match.curves.values()))
    for found in series.values():
        if any(one.contest.wins for one in found):
            yield _finding(evidence, found)


def _case(evidence: Evidence, point: PointSummary) -> Case:
    amounts = (*evidence.amounts(point), ("processes", point.processes))
    return case_of(evidence, point)._replace(nodes=0, processes_per_node=0, amounts=amounts)


def _match(
    evidence: Evidence, packed: dict[Case, int], spread: dict[Case, int], series: str
) -> Match:
    names = [
        ", ".join(dict.fromkeys(place_of(evidence.points[side[case]]) for case in sorted(packed)
                                if case in side and case in packed and case in spread))
        for side in (packed, spread)
    ]  # fmt: skip
    return Match({names[0]: packed, names[1]: spread}, names[1], series)


def _finding(evidence: Evidence, found: Sequence[_Packing]) -> Finding:
    clear = [one for one in found if one.contest.wins]
    worst = max(clear, key=lambda one: max(win.ratio.median for win in one.contest.wins))
    contest = worst.contest
    crossing = _find_crossing(evidence, worst)
    numbers = contest.numbers() | {
        "variants": float(len(found)),
        "variants_clear": float(len(clear)),
    }
    if crossing:
        numbers["crossover_from_bytes"], numbers["crossover_to_bytes"] = map(float, crossing)
    share = _communication_share(evidence, worst)
    if share is not None:
        numbers["explained_by_communication_fraction"] = share
    packed_slower = sum(len(one.contest.slower) for one in clear)
    inside = all(evidence.points[i].nodes == 1 for i in worst.packed.values())
    without = _find_varied_choices(evidence, found)
    name = name_of(evidence, contest.figures[0], without=without)
    return Finding(
        severity="notice" if packed_slower else "fact",
        text=f"{_outcome(evidence, name, found, clear, inside)}{crossing_text(crossing)}"
        f"{_cause(share)}",
        effect=contest.effect,
        evidence=numbers,
        advice=_advice(evidence, contest, crossing, inside),
        command=again(evidence, contest.figures, launches=10) if packed_slower else None,
        points=tuple(index for one in clear for index in one.contest.figures),
    )


def _find_varied_choices(evidence: Evidence, found: Sequence[_Packing]) -> list[str]:
    names = {"bytes", "place"} | {name for one in found for name in one.contest.compared_axes}
    if len(found) > 1:
        first = evidence.points[next(iter(found[0].packed.values()))]
        names |= {"mpi", *first.axes, *first.conditions}
    return sorted(names)


def _outcome(
    evidence: Evidence,
    name: str,
    found: Sequence[_Packing],
    clear: Sequence[_Packing],
    inside: bool,
) -> str:
    if len(found) == 1:
        return f"{name} {found[0].contest.sentences(*_sides(found[0].contest, inside))}"
    variants = [_variant(evidence, one) for one in clear]
    every = [one.contest for one in clear]
    word = "faster" if all(one.faster and not one.slower for one in every) else "slower"
    if word == "faster" or not any(one.faster for one in every):
        ratios = [sure_end(win.ratio) for one in every for win in one.wins]
        packed, spread = _sides(every[0], inside)
        one, other = (packed, spread) if word == "faster" else (spread, packed)
        outcome = f"{name} {one} is {span(ratios)} faster than {other} with {'; '.join(variants)}."
    else:
        outcome = " ".join(
            f"{name} ({variant}) {each.contest.sentences(*_sides(each.contest, inside))}"
            for variant, each in zip(variants, clear, strict=True)
        )
    unclear = [_variant(evidence, one) for one in found if one not in clear]
    return outcome + (f" Unclear with {'; '.join(unclear)}." if unclear else "")


def _sides(contest: Contest, inside: bool) -> tuple[str, str]:
    fewer = "inside a node" if inside else "on fewer nodes"
    return f"{fewer} ({contest.choice})", f"on more nodes ({contest.default})"


def _variant(evidence: Evidence, packing: _Packing) -> str:
    index = next(iter(packing.packed.values()))
    point = evidence.points[index]
    varying = (
        evidence.varying.get(point.benchmark, frozenset()) - dict(evidence.amounts(point)).keys()
    )
    chosen = {**point.axes, **point.conditions}
    words = [f"{name} {chosen[name]}".replace("_", " ") for name in sorted(varying & chosen.keys())]
    return ", ".join([*words, *([point.mpi] if point.mpi else [])])


def _find_crossing(evidence: Evidence, packing: _Packing) -> tuple[int, int] | None:
    """Return the sizes around the only change of order of two curves, where there is one.

    Before it one is faster at every size, after it the other, at 3 sizes or more on each side: so
    many agree by chance in one case of eight, and where both agree in one of sixty-four. Each is
    clearly faster somewhere.
    """
    if not (packing.contest.faster and packing.contest.slower):
        return None
    cases = sorted(packing.packed.keys() & packing.spread.keys())
    if len({case.amounts for case in cases}) != 1:
        return None
    signs = [
        evidence.points[packing.packed[case]].median_s
        < evidence.points[packing.spread[case]].median_s
        for case in cases
    ]
    changes = [i for i in range(1, len(signs)) if signs[i] != signs[i - 1]]
    if len(changes) != 1 or not _SURE <= changes[0] <= len(signs) - _SURE:
        return None
    return cases[changes[0] - 1].size, cases[changes[0]].size


def _communication_share(evidence: Evidence, packing: _Packing) -> float | None:
    """Return what part of the time that packing adds is communication, the median over cases."""
    parts = []
    for win in packing.contest.slower:
        slow, fast = evidence.points[win.loser], evidence.points[win.winner]
        slow_share, fast_share = communication_fraction(slow), communication_fraction(fast)
        if slow_share is not None and fast_share is not None:
            more = slow.median_s * slow_share - fast.median_s * fast_share
            parts.append(more / (slow.median_s - fast.median_s))
    return statistics.median(parts) if parts else None


def _cause(share: float | None) -> str:
    if share is None:
        return ""
    rest = " The rest is work: the processes of a node share its memory." if share < 0.5 else ""
    return f" Communication is {percent(max(share, 0.0))} of the loss.{rest}"


def _largest_size(contest: Contest) -> int:
    """Return the largest size at which the choice is clearly faster, -1 where it is so at all."""
    sizes = {win.size for win in contest.faster}
    return -1 if {case.size for case in contest.cases} <= sizes else max(sizes)


def _advice(
    evidence: Evidence, contest: Contest, crossing: tuple[int, int] | None, inside: bool
) -> Advice | None:
    sends = evidence.sends(evidence.points[contest.figures[0]].benchmark)
    if inside and contest.faster and sends:
        most = crossing[0] if crossing else _largest_size(contest)
        until = f" up to {format_bytes(most)}" if most >= 0 else ""
        return Advise.ONE_NODE(until=until)
    if not contest.slower:
        return None
    worst = largest(contest.slower)
    gain = percent(1 - 1 / worst.ratio.median)
    return Advise.FEWER_ON_A_NODE(share=gain)


@rule(
    "choice",
    cure=Advise.LAUNCHER(),
    evidence={
        "launches": "launches with misplaced ranks",
        "misplaced_ranks": "ranks elsewhere than asked",
        "nodes_seen": "nodes on which ranks ran",
    },
)
def placement_differs(evidence: Evidence) -> Iterator[Finding]:
    """Ranks that ran elsewhere than the order of ranks asked for."""
    found: dict[tuple[str, str, str], list[Launch]] = {}
    for launch in evidence.run.launches:
        if find_misplaced(launch):
            place = f"{launch.nodes}x{launch.processes_per_node}"
            order = launch.knobs.get("order", "default")
            found.setdefault((launch.mpi, place, order), []).append(launch)
    for (mpi, place, order), launches in found.items():
        measured = {result.point for launch in launches for result in launch.points}
        figures = [
            index
            for point in evidence.run.points
            if point.index in measured
            for index in evidence.figures_of(point)
        ]
        wrong = find_misplaced(launches[0])
        yield Finding(
            severity="problem",
            text=f"order={order} on {place} with {mpi} had no effect in "
            f"{count(len(launches), 'launch')}: {next(iter(wrong.values()))}. "
            f"{count(len(figures), 'figure')} belong to another placement.",
            evidence={
                "launches": float(len(launches)),
                "misplaced_ranks": float(len(wrong)),
                "nodes_seen": float(len({rank.node for rank in launches[0].ranks})),
            },
            advice=Advise.LAUNCHER(),
            points=tuple(figures),
        )
