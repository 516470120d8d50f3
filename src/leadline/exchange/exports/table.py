"""Figures as a flat table: one row a figure, one column a number or a choice."""

from collections.abc import Sequence
from typing import Any

import msgspec

from leadline.model.run import Run
from leadline.model.summary import PointSummary

Row = dict[str, Any]

# What stands before the names inside a field that holds several.
_PREFIXES = {
    "axes": "axis",
    "settings": "setting",
    "knobs": "knob",
    "metrics": "metric",
    "flags": "flag",
}


def rows(run: Run, points: Sequence[PointSummary]) -> list[Row]:
    """Return a row for each figure; all rows have the same columns in the same order.

    Columns are `run` and the fields of `PointSummary`, with one for each axis (`axis_algorithm`),
    setting, knob, metric and flag; where a figure has none it is None. Lists stay lists.
    """
    flat = [_flat(point) for point in points]
    names = dict.fromkeys(name for row in flat for name in row)
    return [{"run": run.run, **{name: row.get(name) for name in names}} for row in flat]


def _flat(point: PointSummary) -> Row:
    fields = msgspec.to_builtins(point)
    single = {name: value for name, value in fields.items() if name not in _PREFIXES}
    several = {
        f"{prefix}_{name}": value
        for field, prefix in _PREFIXES.items()
        for name, value in fields[field].items()
    }
    return single | several
