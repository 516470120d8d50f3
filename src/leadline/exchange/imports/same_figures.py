"""The same figure in several tables: launches of one command, or different things."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Literal, NamedTuple

import msgspec

from leadline.analysis.stats import launches
from leadline.core.errors import UserError
from leadline.exchange.imports.reader import Origin, Reading
from leadline.model.description import Axis
from leadline.model.run import variant
from leadline.model.summary import PointSummary

# Whether equal figures are launches: as what stands above their tables tells, or as the user does.
Same = Literal["told", "launches", "split"]

_OUTPUT = "output"
_LONGEST = 40
# A last digit that is worth less of a figure than this is not seen beside what else it errs by.
_COUNTS = 0.025
_DIGIT = "the last digit that is printed"


class _Table(NamedTuple):
    """A table that has a figure: its file, and its place in it."""

    file: str
    origin: Origin

    @property
    def told(self) -> tuple[str, str]:
        """What tells one command from another, with the software."""
        return self.origin.above, self.origin.software


def merge_figures(
    readings: Sequence[Reading], same: Same
) -> tuple[tuple[PointSummary, ...], dict[str, list[str]]]:
    """Return each figure once, and the outputs by benchmark whose figures are kept apart.

    A figure twice in one table is two samples. In several tables it is so many launches, where
    command, hosts and software above them are the same, or nothing stands above them and each is
    a file of its own. Otherwise the figures of each output are kept apart by the axis `output`.
    Raises `UserError` where nothing tells whether they are launches.
    """
    found: dict[object, dict[_Table, list[PointSummary]]] = defaultdict(lambda: defaultdict(list))
    for number, reading in enumerate(readings):
        origins = reading.origins or [Origin()] * len(reading.figures)
        for figure, origin in zip(reading.figures, origins, strict=True):
            file = reading.file or str(number)
            found[_identity(figure)][_Table(file, origin)].append(figure)
    tables = list(dict.fromkeys(table for each in found.values() for table in each))
    labels = _labels(tables, same)
    merged: list[PointSummary] = []
    outputs: dict[str, list[str]] = {}
    for each in found.values():
        groups: dict[str, list[PointSummary]] = defaultdict(list)
        first: dict[str, _Table] = {}
        rounding = 0.0
        if same == "told" and len({bool(table.origin.above) for table in each}) > 1:
            bare, told = sorted(each, key=lambda table: bool(table.origin.above))[:: len(each) - 1]
            _ask(next(iter(each.values()))[0], told, bare)
        for table, figures in each.items():
            label = labels[table] if len(each) > 1 else ""
            known = first.get(label)
            alike = known is not None and known.file == table.file and not table.origin.above
            if known and alike and same == "told":
                _ask(figures[0], known, table)
            first.setdefault(label, table)
            groups[label].append(_samples(figures))
            rounding = max(rounding, table.origin.rounding_s)
        for label, figures in groups.items():
            one = _rounded(_launches(figures), rounding)
            if len(groups) > 1:
                one = msgspec.structs.replace(one, axes={**one.axes, _OUTPUT: label})
                outputs.setdefault(one.benchmark, []).append(label)
            merged.append(one)
    return tuple(merged), {name: list(dict.fromkeys(each)) for name, each in outputs.items()}


def output_axis(labels: Sequence[str]) -> Axis:
    """Return the axis of outputs that are kept apart: they are no ways of the same task."""
    return Axis(
        name=_OUTPUT,
        kind="choice",
        summary="what stands above the table in its file",
        default=labels[0],
        choices=tuple(labels),
        ways=False,
    )


def _labels(tables: Sequence[_Table], same: Same) -> dict[_Table, str]:
    """Return the name of each table's output: that of what stands above it, or its own."""
    if same == "launches":
        return dict.fromkeys(tables, "")
    if same == "split":
        many = len({table.file for table in tables}) > 1
        return {table: f"{table.file} " * many + f"line {table.origin.line}" for table in tables}
    told = list(dict.fromkeys(table.told for table in tables))
    texts = [f"{above} {software}".strip() if above else software for above, software in told]
    if len({above for above, _ in told}) == len(told):
        texts = [above for above, _ in told]
    names = dict(zip(told, _shortened(texts), strict=True))
    return {table: names[table.told] for table in tables}


def _shortened(texts: Sequence[str]) -> list[str]:
    """Return the texts without the words that all begin and end with, where they are long.

    >>> _shortened(["module load openmpi/5.0 && srun -n 2 osu_latency",
    ...             "module load mpich/4.2 && srun -n 2 osu_latency"])
    ['openmpi/5.0', 'mpich/4.2']
    """
    if len(texts) < 2 or max(map(len, texts)) <= _LONGEST:
        return list(texts)
    words = [text.split() for text in texts]
    shortest = min(map(len, words))
    same_from = [len({each[at] for each in words}) == 1 for at in range(shortest)]
    begin = (*same_from, False).index(False)
    same_to = [len({each[-1 - at] for each in words}) == 1 for at in range(shortest - begin)]
    end = (*same_to, False).index(False)
    found = [" ".join(each[begin : len(each) - end]) for each in words]
    return found if all(found) else list(texts)


def _ask(figure: PointSummary, one: _Table, other: _Table) -> None:
    """Raise `UserError`: nothing tells whether a figure of two tables is a launch."""
    both = f"{other.file} has {figure.benchmark} twice, at lines {one.origin.line} and"
    if one.file != other.file:
        both = (
            f"{figure.benchmark} is in {one.file} at line {one.origin.line} and in {other.file} at"
        )
    raise UserError(
        f"{both} {other.origin.line}, and nothing above the latter tells whether it is the same "
        "command: `leadline runs import` with --as-launches takes them as launches of one figure, "
        "with --split keeps them apart"
    )


def _rounded(figure: PointSummary, rounding_s: float) -> PointSummary:
    """Return the figure with an interval that holds what was lost in its last digit.

    Where so few digits are left that the last one counts, launches do not tell how they differ.
    """
    low, high = figure.interval or (figure.median_s, figure.median_s)
    if rounding_s >= _COUNTS * figure.median_s:
        figure = msgspec.structs.replace(figure, launch_medians_s=(figure.median_s,))
    elif figure.interval is None:
        return figure
    return msgspec.structs.replace(
        figure,
        ci95_low_s=max(low - rounding_s, 0.0),
        ci95_high_s=high + rounding_s,
        ci95_method=f"{figure.ci95_method}, and the last digit" if figure.interval else _DIGIT,
    )


def _samples(figures: Sequence[PointSummary]) -> PointSummary:
    """Return the figure of one table that has it several times."""
    if len(figures) == 1:
        return figures[0]
    one = _launches(figures)
    return msgspec.structs.replace(
        one,
        launches=1,
        samples=len(figures),
        ci95_low_s=None,
        ci95_high_s=None,
        ci95_method="",
        launch_medians_s=(one.median_s,),
    )


def _identity(figure: PointSummary) -> object:
    axes, placement = figure.axes, (figure.nodes, figure.processes_per_node)
    choices = variant(axes, figure.conditions)
    sizes = axes.get("bytes"), figure.bytes
    return figure.benchmark, figure.series, choices, sizes, figure.mpi, placement


def _launches(figures: Sequence[PointSummary]) -> PointSummary:
    import numpy as np

    if len(figures) == 1:
        return figures[0]
    times = [figure.median_s for figure in figures]
    estimate = launches.estimate([np.array([time]) for time in times])
    moved = figures[0].bandwidth_MBps and figures[0].bandwidth_MBps * times[0]
    messages = [one.message_rate_per_s for one in figures if one.message_rate_per_s]
    return msgspec.structs.replace(
        figures[0],
        launches=len(figures),
        median_s=estimate.median,
        ci95_low_s=estimate.interval and max(estimate.interval.low, 0.0),
        ci95_high_s=estimate.interval and estimate.interval.high,
        ci95_method=f"{estimate.method}, an output each",
        p90_s=None,
        p99_s=None,
        max_s=max((one.max_s for one in figures if one.max_s is not None), default=None),
        min_s=min((one.min_s for one in figures if one.min_s is not None), default=None),
        mean_s=None,
        bandwidth_MBps=moved / estimate.median if moved else None,
        message_rate_per_s=median(messages) if messages else None,
        launch_medians_s=tuple(times),
        verified=all(figure.verified for figure in figures),
        metrics=_middle([figure.metrics for figure in figures]),
    )


def _middle(metrics: Sequence[Mapping[str, float]]) -> dict[str, float]:
    names = dict.fromkeys(name for one in metrics for name in one)
    return {name: median([one[name] for one in metrics if name in one]) for name in names}
