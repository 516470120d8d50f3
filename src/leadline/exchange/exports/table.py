"""Figures as a flat table: one row a figure, one column a number or a choice."""

from typing import Any

import msgspec

from leadline.model.run import Run
from leadline.model.summary import Analysis, MissingFigure, PointSummary

Row = dict[str, Any]

# What stands before the names inside a field that holds several.
_PREFIXES = {
    "axes": "axis",
    "settings": "setting",
    "knobs": "knob",
    "metrics": "metric",
    "flags": "flag",
}


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
