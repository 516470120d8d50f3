"""Contests: choices that do the same, compared case by case, all pairs of a run together."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import (
    again,
    and_text,
    compared_text,
    gain_of,
    more_launches,
    place_of,
    sizes_text,
    span,
    sure_end,
)
from leadline.analysis.results.states import met_alike
from leadline.analysis.stats.comparison import Ratio, clearly_longer, strongest, time_ratio
from leadline.analysis.stats.rivals import Pair, ratios
from leadline.core.units import format_bytes
from leadline.model.description import Axis, Benchmark
from leadline.model.plan import Value
from leadline.model.summary import Advice, Finding, Gain, PointSummary

# Placements and amounts of which a sentence names the sizes.
_SHAPES = 4


class Case(NamedTuple):
    """Where and for how much two ways are compared: `size` in bytes, -1 where there is none.

    `amounts` are the axes that count something, such as pairs or unknowns.
    """

    size: int = -1
    nodes: int = 0
    processes_per_node: int = 0
    amounts: tuple[tuple[str, Value], ...] = ()

    @property
    def text(self) -> str:
        """All that is known of it, such as `at 8 B on 2x1`."""
        words = [f"at {format_bytes(self.size)}"] if self.size >= 0 else []
        if self.amounts:
            words.append("with " + ", ".join(f"{name} {value}" for name, value in self.amounts))
        words += [f"on {self.nodes}x{self.processes_per_node}"] if self.nodes else []
        return " ".join(words)


# A case to the index of the figure.
Curve = Mapping[Case, int]


class Win(NamedTuple):
    """In this case the figure `loser` takes `ratio` times as long as the figure `winner`."""

    case: Case
    ratio: Ratio
    winner: int
    loser: int

    @property
    def size(self) -> int:
        """The message size in bytes, -1 where there is none."""
        return self.case.size


class Contest(NamedTuple):
    """A choice against the default one: where it is clearly faster, and where slower."""

    choice: str
    default: str
    cases: Sequence[Case]
    faster: Sequence[Win]
    slower: Sequence[Win]

    @property
    def wins(self) -> tuple[Win, ...]:
        """Every case with a clear difference."""
        return (*self.faster, *self.slower)

    @property
    def figures(self) -> tuple[int, ...]:
        """The indices of all figures that differ clearly."""
        return tuple(index for win in self.wins for index in (win.winner, win.loser))

    @property
    def effect(self) -> float | None:
        """The largest of all clear ratios."""
        return strongest(win.ratio.median for win in self.wins)

    @property
    def compared_axes(self) -> tuple[str, ...]:
        """The axes that the text of the cases names, which the name of the figures leaves out."""
        if self._by_size:
            return ("bytes",) if self.cases[0].nodes else ("bytes", "place")
        names = {name for case in self.cases for name, _ in case.amounts}
        return ("bytes", "place", *sorted(names))

    def sentences(self, one: str, other: str) -> str:
        """Return what came out: `ring is 2.0x faster (1.9 to 2.1) than library at 8 B.`

        `one` is what the choice is called, `other` what the default is. A choice that only loses is
        told from the other side.
        """
        if self.slower and not self.faster:
            won = Contest(self.default, self.choice, self.cases, self.slower, self.faster)
            return won.sentences(other, one)
        if not self.wins:
            return f"No clear difference between {one} and {other}."
        (by, where), *rest = self._outcomes()
        parts = [f"{one} is {by} than {other}{where}", *(f"{by}{where}" for by, where in rest)]
        return "; ".join([*parts, *([f"unclear {self._open_where}"] if self.unclear else [])]) + "."

    def _outcomes(self) -> Iterator[tuple[str, str]]:
        for word, wins in (("faster", self.faster), ("slower", self.slower)):
            if len(wins) == 1:
                yield compared_text(wins[0].ratio, word), self._where(wins)
            elif wins:
                yield f"{span([sure_end(win.ratio) for win in wins])} {word}", self._where(wins)

    @property
    def unclear(self) -> tuple[Case, ...]:
        """The cases in which neither is clearly faster."""
        clear = {win.case for win in self.wins}
        return tuple(case for case in self.cases if case not in clear)

    @property
    def gain(self) -> Gain | None:
        """What taking the choice gains where it gains most."""
        if not self.faster:
            return None
        return gain_of(largest(self.faster).ratio)

    def finding(
        self,
        severity: str,
        text: str,
        advice: Advice | None = None,
        more: Mapping[str, float] | None = None,
        *,
        command: str | None = None,
        gain: Gain | None = None,
    ) -> Finding:
        """Return the finding of this contest, with `more` evidence than its own numbers."""
        return Finding(
            severity=severity,
            text=text,
            effect=self.effect,
            evidence={**self.numbers(), **(more or {})},
            advice=advice,
            command=command,
            gain=gain,
            points=self.figures,
        )

    def winners(self, found: Sequence["Contest"]) -> list["Contest"]:
        """Return those of `found`, of which this is the fastest, that are the fastest somewhere."""
        won = {win.winner for win in self.faster}
        return [one for one in found if won & {win.winner for win in one.faster}]

    def winners_text(self, winners: Sequence["Contest"]) -> str:
        """Return these winners by name, with the sizes at which each is the fastest."""
        won = {win.winner for win in self.faster}
        choices = []
        for one in winners:
            at = [win.size for win in one.faster if win.winner in won]
            sizes = sizes_text([case.size for case in one.cases], at) if min(at) >= 0 else ""
            choices.append(one.choice.replace("_", " ") + (f" ({sizes})" if sizes else ""))
        return f"the fastest of {and_text(choices)}"

    def proof(self, evidence: Evidence) -> str | None:
        """Return the command that measures in more launches where the choice is faster."""
        better = [index for win in self.faster for index in (win.loser, win.winner)]
        return again(evidence, better, launches=more_launches(evidence))

    def numbers(self) -> dict[str, float]:
        """Return the evidence: how many sizes or cases each wins, and the ratios of each."""
        numbers = {}
        noun = "sizes" if self._by_size else "cases"
        for word, wins in (("faster", self.faster), ("slower", self.slower)):
            numbers[f"{noun}_{word}"] = float(len(wins))
            if wins:
                best = largest(wins)
                numbers |= best.ratio.evidence(f"{word}_ratio")
                if best.size >= 0:
                    numbers[f"{word}_at_bytes"] = float(best.size)
                if not self._by_size:
                    numbers[f"{word}_least_ratio"] = _least(wins).ratio.median
                    if best.case.nodes:
                        numbers[f"{word}_at_nodes"] = float(best.case.nodes)
        return numbers

    @property
    def _by_size(self) -> bool:
        return len({case._replace(size=-1) for case in self.cases}) == 1

    def _where(self, wins: Sequence[Win]) -> str:
        best = largest(wins)
        if self._by_size:
            if best.size < 0:
                return ""
            sizes = [case.size for case in self.cases]
            where = f" at {sizes_text(sizes, [win.size for win in wins])}"
            return where if len(wins) == 1 else f"{where}, most at {format_bytes(best.size)}"
        if len(wins) == 1:
            return f" in 1 of {len(self.cases)} cases, {self._text(best.case)}"
        if len(wins) == len(self.cases):
            return f" in all {len(wins)} cases, most {self._text(best.case)}"
        short = [self._short(case) for case in self.cases]
        named = _cases_text(short, [self._short(win.case) for win in wins])
        return f" in {len(wins)} of {len(self.cases)} cases ({named}), most {self._text(best.case)}"

    def _short(self, case: Case) -> Case:
        """Return the case without what is the same in all of them."""
        common = set.intersection(*(set(each.amounts) for each in self.cases))
        places = {(each.nodes, each.processes_per_node) for each in self.cases}
        kept = tuple(each for each in case.amounts if each not in common)
        if len(places) == 1:
            case = case._replace(nodes=0, processes_per_node=0)
        return case._replace(amounts=kept)

    def _text(self, case: Case) -> str:
        return self._short(case).text

    @property
    def _open_where(self) -> str:
        if not self._by_size:
            return f"in {len(self.unclear)} of {len(self.cases)} cases"
        return f"at {_cases_text(self.cases, self.unclear)}"


def fastest_of(found: Sequence[Contest]) -> Contest:
    """Return what the fastest choice of each case wins and loses against the default they share."""
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


def _cases_text(measured: Sequence[Case], chosen: Sequence[Case]) -> str:
    """Return `chosen` cases in words, the sizes of what differs in size alone joined.

    >>> shape = Case(nodes=2, processes_per_node=1)
    >>> every = [shape._replace(size=size) for size in (8, 64, 512)]
    >>> _cases_text([*every, Case(8, 1, 2)], [*every[:2], Case(8, 1, 2)])
    'at 8 B on 1x2, at 8 B to 64 B on 2x1'
    """
    sizes: dict[Case, list[int]] = defaultdict(list)
    for case in chosen:
        sizes[case._replace(size=-1)].append(case.size)
    alike = len({case._replace(size=-1) for case in measured}) == 1
    texts = []
    for shape, chosen_sizes in sorted(sizes.items()):
        every = [case.size for case in measured if case._replace(size=-1) == shape]
        where = sizes_text(every, chosen_sizes) if min(chosen_sizes) >= 0 else ""
        texts.append(
            where if alike else " ".join(filter(None, (where and f"at {where}", shape.text)))
        )
    more = len(texts) - _SHAPES
    return ", ".join(texts[:_SHAPES]) + (f" and {more} more" if more > 0 else "")


def curves_by(
    evidence: Evidence,
    indices: Iterable[int],
    choice: Callable[[PointSummary], str],
    rest: Callable[[PointSummary], object],
    case: Callable[[PointSummary], Case] | None = None,
) -> Iterator[dict[str, Curve]]:
    """Yield the curve of each choice, once for each value of `rest`, what they have in common.

    `rest` leaves out what tells cases apart: size, placement and the axes that count something, or
    all that `case` tells. Figures that other processes shaped tell nothing of a choice, unless it
    was the ranks themselves that shared cores, as they do with every choice.
    """
    found: dict[object, dict[str, dict[Case, int]]] = defaultdict(lambda: defaultdict(dict))
    for index in indices:
        point = evidence.points[index]
        # A fast wrong answer is no answer: `fast_but_wrong` speaks of it.
        if not point.verified:
            continue
        if evidence.mostly_disturbed(index) and not point.oversubscribed:
            continue
        place = case(point) if case else case_of(evidence, point)
        found[rest(point)][choice(point)][place] = index
    for by_choice in found.values():
        yield dict(by_choice)


def curves_over(
    evidence: Evidence, axis: Axis, indices: Iterable[int]
) -> Iterator[dict[str, Curve]]:
    """Yield the curve of each value of an axis, together for figures that differ in it alone.

    `indices` are figures of the axis' benchmark. Where each value has a placement of its own, as
    machines have, these are compared with each other.
    """

    def choice(point: PointSummary) -> str:
        return str(point.axes.get(axis.name, axis.default))

    def rest(point: PointSummary) -> object:
        return (evidence.choices(point, without=[axis.name]), point.mpi, point.series)

    for curves in curves_by(evidence, indices, choice, rest):
        yield _across_places(evidence, curves)


def _across_places(evidence: Evidence, curves: dict[str, Curve]) -> dict[str, Curve]:
    places = [{(case.nodes, case.processes_per_node) for case in one} for one in curves.values()]
    points = [evidence.points[index] for one in curves.values() for index in one.values()]
    disjoint = len(set.union(*places)) == len(places) == sum(map(len, places)) > 1
    if not disjoint or len({point.processes for point in points}) > 1:
        return curves
    return {
        choice: {case._replace(nodes=0, processes_per_node=0): index for case, index in one.items()}
        for choice, one in curves.items()
    }


def side_texts(evidence: Evidence, contest: Contest) -> tuple[str, str]:
    """Return what the choice and the default are called, with the placements where they differ."""
    win = contest.wins[0]
    pair = (win.winner, win.loser) if win in contest.faster else (win.loser, win.winner)
    chosen, default = (place_of(evidence.points[index]) for index in pair)
    names = [name.replace("_", " ") for name in (contest.choice, contest.default)]
    if chosen == default:
        return names[0], names[1]
    return f"{names[0]} on {chosen}", f"{names[1]} on {default}"


def crossing_text(crossing: tuple[int, int] | None) -> str:
    """Return between which two sizes the faster one becomes the slower one, if they are given."""
    if crossing is None:
        return ""
    return f" The order changes between {' and '.join(map(format_bytes, crossing))}."


def case_of(evidence: Evidence, point: PointSummary) -> Case:
    """Return the case that a figure is of."""
    return Case(
        size=-1 if point.bytes is None else point.bytes,
        nodes=point.nodes,
        processes_per_node=point.processes_per_node,
        amounts=evidence.amounts(point),
    )


def ways(evidence: Evidence, benchmark: Benchmark) -> Iterator[tuple[Axis, list[int]]]:
    """Yield each axis whose values are ways to do the same, with the indices of its figures."""
    indices = [i for i, point in enumerate(evidence.points) if point.benchmark == benchmark.name]
    series = {evidence.points[i].series for i in indices}
    axes = {name: benchmark.ways(name) for name in series}
    for axis in benchmark.axes:
        with_axis = [i for i in indices if axis in axes[evidence.points[i].series]]
        if with_axis:
            yield axis, with_axis


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
        known = self.known(numerator, denominator)
        if known is None:
            raise KeyError(pair)
        return known

    def known(self, numerator: int, denominator: int) -> Ratio | None:
        """Return that ratio where the pair is among those that were judged, else None."""
        pair = self._launches(numerator, denominator)
        if pair in self._judged:
            return self._judged[pair]
        return self._judged[pair[::-1]].inverse() if pair[::-1] in self._judged else None

    def _launches(self, numerator: int, denominator: int) -> Pair:
        """Return the launches of both in which they met the same state of the machine."""
        above, below = self._evidence.points[numerator], self._evidence.points[denominator]
        if self._evidence.run.looks:
            return above.launch_medians_s, below.launch_medians_s
        return met_alike(above, below)


def _comparable(pair: Pair) -> bool:
    return min(map(len, pair)) > 1 and min(map(min, pair)) > 0


class Match(NamedTuple):
    """Choices that do the same, each with its curve, and which of them is the default.

    `of` names what is chosen, such as an axis or a knob.
    """

    curves: Mapping[str, Curve]
    default: str
    of: str = ""

    @property
    def pairs(self) -> Iterator[tuple[int, int]]:
        """The figures that are compared: the default's and another choice's of each case."""
        usual = self.curves[self.default]
        for choice, curve in self.curves.items():
            if choice != self.default:
                yield from ((usual[case], curve[case]) for case in _common(curve, usual))

    def contests(self, ratios: PairRatios) -> Iterator[Contest]:
        """Yield each other choice against the default."""
        usual = self.curves[self.default]
        for choice, curve in self.curves.items():
            if choice != self.default:
                cases = _common(curve, usual)
                faster = list(_wins(ratios, curve, usual, cases))
                slower = list(_wins(ratios, usual, curve, cases))
                yield Contest(choice, self.default, cases, faster, slower)

    def clear(self, ratios: PairRatios) -> list[Contest]:
        """Return the contests with any clear difference."""
        return [contest for contest in self.contests(ratios) if contest.wins]


def matches_over(evidence: Evidence, axis: Axis, indices: Sequence[int]) -> Iterator[Match]:
    """Yield the match of an axis' values against its default for each set of like figures.

    `indices` are figures of the axis' benchmark. Where the default was not measured, the first of
    the axis' choices that was takes its place.
    """
    for curves in curves_over(evidence, axis, indices):
        default = next(value for value in (axis.default, *axis.choices, *curves) if value in curves)
        yield Match(curves, default, axis.name)


def _common(one: Curve, other: Curve) -> list[Case]:
    return sorted(one.keys() & other.keys())


def _wins(ratios: PairRatios, winner: Curve, loser: Curve, cases: Sequence[Case]) -> Iterator[Win]:
    for case in cases:
        ratio = ratios.ratio(loser[case], winner[case])
        if ratio is not None and clearly_longer(ratio):
            yield Win(case, ratio, winner[case], loser[case])


def largest(wins: Sequence[Win]) -> Win:
    """Return the win by the largest ratio."""
    return max(wins, key=lambda win: win.ratio.median)


def _least(wins: Sequence[Win]) -> Win:
    return min(wins, key=lambda win: win.ratio.median)
