"""Names, numbers and units of figures, as other tools want them, and a flat table of them."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec

from leadline.model.plan import Value
from leadline.model.run import Run, variant
from leadline.model.summary import Analysis, MissingFigure, PointSummary

# What the name of a benchmark's own metric ends in, and that unit; other metrics are plain numbers.
_UNITS = {"_per_s": "1/s", "_MBps": "MB/s", "_MiB": "MiB", "_bytes": "B", "_s": "s"}

_STATISTICS = {"minimum": "min", "maximum": "max"}


# What stands before the names inside a field that holds several.
_PREFIXES = {
    "axes": "axis",
    "settings": "setting",
    "knobs": "knob",
    "metrics": "metric",
    "flags": "flag",
}

Row = dict[str, Any]


class Quantity(NamedTuple):
    """One number of a figure in its unit: `s`, `MB/s`, `1/s`, `B`, `MiB`, or `1` for plain ones."""

    value: float
    unit: str


def figure_names(points: Sequence[PointSummary]) -> list[str]:
    """Return a name for each figure that has no blanks and is the same in every run that has it.

    It says all that was chosen, and ends in the MPI and the placement; a name that would stand
    there twice gets a number.
    """
    seen: Counter[str] = Counter()
    names = []
    for point in points:
        size = () if point.bytes is None else (f"bytes={point.bytes}",)
        chosen = variant(point.axes, conditions(point)).split(",")
        where = f"{point.nodes}x{point.processes_per_node}"
        parts = (point.benchmark, point.series, *size, *chosen, point.mpi, where)
        name = "/".join(_without_blanks(part) for part in parts if part)
        seen[name] += 1
        names.append(f"{name}/{seen[name]}" if seen[name] > 1 else name)
    return names


def conditions(point: PointSummary | MissingFigure) -> dict[str, Value]:
    """Return what was chosen beside the axes; a knob that changes nothing is as good as none."""
    knobs = {name: value for name, value in point.knobs.items() if value != "default"}
    return {**point.settings, **knobs}


def quantities(point: PointSummary) -> dict[str, Quantity]:
    """Return the known numbers of a figure by name; the first one is what the figure stands for."""
    found = {
        _STATISTICS.get(point.statistic, point.statistic): (point.median_s, "s"),
        "ci95_low": (point.ci95_low_s, "s"),
        "ci95_high": (point.ci95_high_s, "s"),
        "p90": (point.p90_s, "s"),
        "p99": (point.p99_s, "s"),
    }
    for name, value in (("min", point.min_s), ("mean", point.mean_s), ("max", point.max_s)):
        found.setdefault(name, (value, "s"))
    found["bandwidth"] = (point.bandwidth_MBps, "MB/s")
    found["message_rate"] = (point.message_rate_per_s, "1/s")
    found["flop_rate"] = (point.flops_per_s, "flop/s")
    for name, value in point.metrics.items():
        ending = next((each for each in _UNITS if name.endswith(each)), "")
        found[_without_blanks(name.removesuffix(ending))] = (value, _UNITS.get(ending, "1"))
    return {
        name: Quantity(value, unit)
        for name, (value, unit) in found.items()
        if value is not None and math.isfinite(value)
    }


def launch_times(point: PointSummary) -> tuple[float, ...]:
    """Return the time of each launch in seconds, the figure's own where launches are not known."""
    return point.launch_medians_s or (point.median_s,)


def began(run: Run) -> datetime | None:
    """Return when the run began, in UTC where it names no zone; None where that is no date."""
    try:
        when = datetime.fromisoformat(run.started)
    except ValueError:
        return None
    return when if when.tzinfo else when.replace(tzinfo=UTC)


def _without_blanks(text: str) -> str:
    return re.sub(r"\s+", "_", text)


def rows(run: Run, analysis: Analysis) -> list[Row]:
    """Return a row for each figure, then one for each planned point that has none.

    All rows have the same columns in the same order: `run` and the fields of `PointSummary`, with
    one for each axis (`axis_algorithm`), setting, knob, metric and flag; where a figure has none it
    is None. Lists stay lists. Where points have no figure there are the columns of `MissingFigure`
    too, `reason` among them.
    """
    flat = [*map(_flat, analysis.points), *map(_flat, analysis.missing)]
    names = dict.fromkeys(name for row in flat for name in row)
    return [{"run": run.run, **{name: row.get(name) for name in names}} for row in flat]


def _flat(point: PointSummary | MissingFigure) -> Row:
    fields = msgspec.to_builtins(point)
    single = {name: value for name, value in fields.items() if name not in _PREFIXES}
    several = {
        f"{prefix}_{name}": value
        for field, prefix in _PREFIXES.items()
        for name, value in fields.get(field, {}).items()
    }
    return single | several
