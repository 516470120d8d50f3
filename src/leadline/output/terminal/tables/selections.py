"""What libraries' selections of collective algorithms take beside the fastest of leadline's own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import geometric_mean

from leadline.core.errors import UserError
from leadline.core.units import format_bytes
from leadline.model.run import Run
from leadline.model.summary import Analysis, PointSummary
from leadline.output.table import Column, Table, table_of
from leadline.output.terminal.table import RunTable

_AXIS, _LIBRARY, _KNOB = "algorithm", "library", "collective_selector"
# A benchmark, its placement and size, and what else was chosen.
_Task = tuple[str, str, int, tuple[tuple[str, object], ...]]


def make(run: Run, analysis: Analysis) -> Table:
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
        notes=tuple(_notes(fastest, theirs, names)),
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
                f"{best.nodes}x{best.processes_per_node}",
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
    place = f"{point.nodes}x{point.processes_per_node}"
    return (point.benchmark, place, point.bytes or 0, tuple(rest))


def _ratio(theirs: PointSummary | None, ours: PointSummary) -> float | None:
    return theirs.median_s / ours.median_s if theirs else None


def _notes(
    fastest: Mapping[_Task, PointSummary],
    theirs: Mapping[_Task, Mapping[str, PointSummary]],
    names: Sequence[str],
) -> Iterator[str]:
    yield (
        "A library's time over that of the fastest of our algorithms: above 1 ours is faster. "
        "Means are geometric."
    )
    kinds = dict.fromkeys((best.benchmark, _task(best)[1]) for best in fastest.values())
    for benchmark, place in kinds:
        told = []
        for name in names:
            ratios = [
                theirs[task][name].median_s / best.median_s
                for task, best in fastest.items()
                if task[:2] == (benchmark, place) and name in theirs[task]
            ]
            if ratios:
                told.append(
                    f"{name} {geometric_mean(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
                )
        yield f"{benchmark} on {place}: {', '.join(told)}."


TABLE = RunTable(
    name="selections",
    summary="libraries' choices of collective algorithms over the fastest of leadline's own",
    make=make,
)
