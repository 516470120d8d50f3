"""Tables of choices: each beside the default, the fastest, libraries' own."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import geometric_mean

from leadline.analysis.compare.matching import Pair, others_of, value_of
from leadline.analysis.compare.matching import pairs as choice_pairs
from leadline.analysis.findings.conclude import evidence_of, judge_pairs
from leadline.analysis.stats.comparison import clearly_longer, time_ratio
from leadline.analysis.verdict import verdict_of
from leadline.core.errors import UserError
from leadline.core.units import format_bytes, format_seconds, times
from leadline.model.run import Run
from leadline.model.summary import Analysis, PointSummary
from leadline.output.first_screen import has_several_mpis, headline_table
from leadline.output.table import (
    Cell,
    Column,
    Table,
    columns,
    number,
    table_of,
    without_empty_columns,
)
from leadline.output.terminal.tables.fields import place
from leadline.output.words import VAGUE, statistics_text, verdicts_text

_CURVE = columns("benchmark, library, place, others, choice")
_FIGURES = columns("bytes, base_us .3f, us .3f, ratio .2f, low .2f, high .2f, verdict")


def choices(run: Run, analysis: Analysis) -> Table:
    """Return each figure beside that of the default choice, and their ratio as `compare` has it.

    What all rows have in common stands above them.
    """
    points = analysis.points
    found = list(choice_pairs(run, points))
    if not found:
        raise UserError(
            "the table choices takes a run in which an axis such as algorithm has several values: "
            f"{run.run} has none"
        )
    curves = [_curve(pair, points) for pair in found]
    shown = [at for at in range(len(_CURVE)) if len({curve[at] for curve in curves}) > 1]
    same = " ".join(word for at, word in enumerate(curves[0]) if at not in shown and word)
    return table_of(
        notes=(*_choices_notes(run, found, points, shown), *([f"all: {same}"] if same else [])),
        columns=(*(_CURVE[at] for at in shown), *_FIGURES),
        rows=tuple(
            (*(curve[at] for at in shown), *_figures(pair, points))
            for curve, pair in zip(curves, found, strict=True)
        ),
    )


def _curve(pair: Pair, points: Sequence[PointSummary]) -> tuple[str, ...]:
    other = points[pair.other]
    several = len({point.series for point in points if point.benchmark == other.benchmark}) > 1
    wrong = "" if other.verified and points[pair.base].verified else "NOT VERIFIED"
    others = (other.series if several else "", others_of(other, pair.choice), wrong)
    return (
        other.benchmark,
        other.mpi,
        place(other),
        " ".join(filter(None, others)),
        f"{pair.choice}={value_of(other, pair.choice)}",
    )


def _figures(pair: Pair, points: Sequence[PointSummary]) -> tuple[Cell, ...]:
    base, other = points[pair.base], points[pair.other]
    ratio = pair.ratio and pair.ratio.inverse()
    ends = (ratio and ratio.interval) or (None, None)
    # That it may be anything is no interval.
    if ratio and ends[0] and ends[1] and ends[1] > VAGUE * ends[0]:
        ends = (None, None)
    verdict = next(iter(_verdicts([pair], points).values()), "")
    factor = ratio and ratio.median
    if factor and verdict == "cannot tell":
        # Launches that disagree may give a mean ratio with the other sign than these medians.
        factor = other.median_s / base.median_s
        if ends[0] and ends[1] and not ends[0] <= factor <= ends[1]:
            ends = (None, None)
    return (
        other.bytes,
        base.median_s * 1e6,
        other.median_s * 1e6,
        factor,
        *ends,
        verdict,
    )


def _choices_notes(
    run: Run, found: Sequence[Pair], points: Sequence[PointSummary], shown: Sequence[int]
) -> Iterator[str]:
    bases = dict.fromkeys(f"{p.choice}={value_of(points[p.base], p.choice)}" for p in found)
    over = "" if run.imported else f" over {run.plan.launches} launches"
    yield (
        f"{run.run}: {statistics_text(points)}{over}. ratio: how many times as long as with "
        f"{' or '.join(bases)}, launch by launch, with its 95 % interval."
    )
    curves: dict[tuple[str, ...], list[Pair]] = {}
    for pair in found:
        if pair.ratio:
            curves.setdefault(_curve(pair, points), []).append(pair)
    for curve, members in curves.items():
        ratios = {
            points[pair.other].bytes or 0: 1 / pair.ratio.median for pair in members if pair.ratio
        }
        if len(ratios) > 1:
            most = max(ratios, key=ratios.__getitem__)
            name = " ".join(curve[at] for at in shown if curve[at])
            yield (
                f"{f'{name}: ' if name else ''}geometric mean over {len(ratios)} sizes "
                f"{statistics.geometric_mean(ratios.values()):.2f}, largest "
                f"{ratios[most]:.2f} at {format_bytes(most)}; "
                f"{verdicts_text(_verdicts(members, points))}"
            )


def _verdicts(members: Sequence[Pair], points: Sequence[PointSummary]) -> dict[int, str]:
    found = {}
    for pair in members:
        shorter = time_ratio(points[pair.other], points[pair.base])
        if pair.ratio and shorter:
            clear = "faster" if clearly_longer(pair.ratio) else "cannot tell"
            found[points[pair.other].bytes or 0] = "slower" if clearly_longer(shorter) else clear
    return found


_SLOWER, _OPEN = "slower", "open"
# Where the default's name stands in a row.
_DEFAULT = 3


def winners(run: Run, analysis: Analysis) -> Table:
    """Return for each case the default choice, the fastest other one, and how much it gains."""
    points = analysis.points
    cases: dict[tuple[object, ...], list[Pair]] = {}
    for pair in _judged(run, analysis):
        if pair.ratio and points[pair.other].verified and points[pair.base].verified:
            cases.setdefault((pair.base, pair.choice), []).append(pair)
    if not cases:
        raise UserError(
            "the table winners takes a run in which an axis such as algorithm has several values: "
            f"{run.run} has none"
        )
    rows = list(_rows(run, points, cases))
    gains = sum(bool(row[-1]) and _OPEN not in row and _SLOWER not in row for row in rows)
    note = f"Another choice than the default is faster in {gains} of {len(rows)} cases."
    defaults = {str(row[_DEFAULT]) for row in rows}
    known = defaults.pop() if len(defaults) == 1 else ""
    columns = (
        Column("operation", kind="words"),
        Column("MPI"),
        number("size"),
        Column("default"),
        number(known or "time"),
        Column("fastest other"),
        number("time"),
        Column("faster", kind="words"),
        Column("95 % interval"),
    )
    cells = [
        (*row[:_DEFAULT], "" if known else row[_DEFAULT], *row[_DEFAULT + 1 :]) for row in rows
    ]
    return without_empty_columns(table_of(columns, cells, notes=(note,)))


def _judged(run: Run, analysis: Analysis) -> Iterator[Pair]:
    """Yield pairs with the ratio that findings have of them: of all pairs judged together."""
    together = judge_pairs(evidence_of(run, analysis))
    for pair in choice_pairs(run, analysis.points):
        ratio = together.known(pair.base, pair.other)
        yield pair._replace(ratio=ratio) if ratio else pair


def _rows(
    run: Run, points: tuple[PointSummary, ...], cases: dict[tuple[object, ...], list[Pair]]
) -> Iterator[tuple[Cell, ...]]:
    titles = {benchmark.name: benchmark.title for benchmark in run.benchmarks}
    several = len({point.mpi for point in points}) > 1
    places = len({(point.nodes, point.processes_per_node) for point in points}) > 1
    others = {
        name: len({others_of(points[p.base], p.choice) for own in cases.values() for p in own
                   if points[p.base].benchmark == name}) > 1
        for name in titles
    }  # fmt: skip
    for own in cases.values():
        best = max(own, key=lambda pair: pair.ratio.median if pair.ratio else 0.0)
        base, other = points[best.base], points[best.other]
        words = [titles.get(base.benchmark) or base.benchmark]
        if places:
            words.append(place(base))
        if others.get(base.benchmark):
            words.append(others_of(base, best.choice))
        yield (
            " ".join(words),
            base.mpi if several else "",
            "" if base.bytes is None else format_bytes(base.bytes),
            _word(value_of(base, best.choice)),
            format_seconds(base.median_s),
            _word(value_of(other, best.choice)),
            format_seconds(other.median_s),
            *_gain(best),
        )


def _gain(pair: Pair) -> tuple[str, str]:
    ratio = pair.ratio
    if ratio is None or ratio.interval is None:
        return (times(ratio.median) if ratio else _OPEN), ""
    low, high = (times(end).removesuffix("x") for end in ratio.interval)
    ends = f"{low} to {high}"
    if clearly_longer(ratio):
        return times(ratio.median), ends
    return (_SLOWER if ratio.interval[1] < 1 else _OPEN), ends


def _word(value: object) -> str:
    return str(value).replace("_", " ")


_AXIS, _LIBRARY, _KNOB = "algorithm", "library", "collective_selector"
# A benchmark, its placement and size, and what else was chosen.
_Task = tuple[str, str, int, tuple[tuple[str, object], ...]]


def selections(run: Run, analysis: Analysis) -> Table:
    """Return a row for each task: our fastest, and each selection's time over it.

    Raises `UserError` for a run without several libraries' selections beside algorithms of ours.
    """
    ours: dict[_Task, list[PointSummary]] = defaultdict(list)
    theirs: dict[_Task, dict[str, PointSummary]] = defaultdict(dict)
    for point in analysis.points:
        if point.verified and _KNOB in point.knobs and _AXIS in point.axes:
            if point.axes[_AXIS] == _LIBRARY:
                theirs[_task(point)][point.knobs[_KNOB]] = point
            else:
                ours[_task(point)].append(point)
    fastest = {
        task: min(ours[task], key=lambda each: each.median_s) for task in theirs if ours[task]
    }
    if not fastest:
        raise UserError(
            f"the table selections takes a run of collectives, library's and ours, with the knob "
            f"{_KNOB}, such as that of the plan selections: {run.run} has no such figures"
        )
    names = list(dict.fromkeys(name for task in fastest for name in theirs[task]))
    return table_of(
        notes=tuple(_selections_notes(fastest, theirs, names)),
        columns=(
            Column("benchmark"),
            Column("place"),
            Column("bytes", kind="number"),
            Column("our fastest"),
            Column("us", ".4g"),
            *(Column(name, ".2f") for name in names),
        ),
        rows=[
            (
                best.benchmark,
                place(best),
                "" if best.bytes is None else format_bytes(best.bytes),
                str(best.axes[_AXIS]),
                best.median_s * 1e6,
                *(_ratio(theirs[task].get(name), best) for name in names),
            )
            for task, best in fastest.items()
        ],
    )


def _task(point: PointSummary) -> _Task:
    rest = sorted((name, value) for name, value in point.axes.items() if name != _AXIS)
    return (point.benchmark, place(point), point.bytes or 0, tuple(rest))


def _ratio(theirs: PointSummary | None, ours: PointSummary) -> float | None:
    return theirs.median_s / ours.median_s if theirs else None


def _selections_notes(
    fastest: Mapping[_Task, PointSummary],
    theirs: Mapping[_Task, Mapping[str, PointSummary]],
    names: Sequence[str],
) -> Iterator[str]:
    yield (
        "A library's time over that of the fastest of our algorithms: above 1 ours is faster. "
        "Means are geometric."
    )
    kinds = dict.fromkeys((best.benchmark, _task(best)[1]) for best in fastest.values())
    for benchmark, where in kinds:
        means = []
        for name in names:
            ratios = [
                theirs[task][name].median_s / best.median_s
                for task, best in fastest.items()
                if task[:2] == (benchmark, where) and name in theirs[task]
            ]
            if ratios:
                means.append(
                    f"{name} {geometric_mean(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
                )
        yield f"{benchmark} on {where}: {', '.join(means)}."


def headlines(run: Run, analysis: Analysis) -> Table:
    """Return the headlines with half the width of each value's interval, and a comparison."""
    found = verdict_of(run, analysis).headlines
    if not found:
        raise UserError(f"the table headlines takes a run with figures: {run.run} has none")
    return headline_table(found, comparisons=not has_several_mpis(found))
