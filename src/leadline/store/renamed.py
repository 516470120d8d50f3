"""Values of axes under the names that they have now, in plans and runs of earlier versions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from msgspec.structs import replace

from leadline.core import shipped
from leadline.core.shipped import source_folder
from leadline.model.plan import Plan
from leadline.model.published import Claim
from leadline.model.run import Run

# The axis whose values are algorithms of the collective that a benchmark is called after.
_AXIS = "algorithm"
# Values of other axes, by their name then. A table must say which of them no program may do.
_VALUES = {"check": {"last": "last_unsafe"}}


def current_run(run: Run) -> Run:
    """Return the run with the names of now."""
    imported = run.imported and replace(
        run.imported,
        figures=tuple(
            replace(one, axes=_current(one.benchmark, one.axes)) for one in run.imported.figures
        ),
    )
    return replace(
        run,
        plan=current_plan(run.plan),
        points=[replace(one, axes=_current(one.benchmark, one.axes)) for one in run.points],
        imported=imported,
    )


def current_plan(plan: Plan) -> Plan:
    """Return the plan with the names of now."""
    entries = []
    for entry in plan.entries:
        axes = entry.axes
        for benchmark in entry.benchmarks:
            axes = _current(benchmark, axes)
        entries.append(replace(entry, axes=axes))
    return replace(plan, entries=tuple(entries), claims=tuple(map(_claim, plan.claims)))


def current_value(benchmark: str, axis: str, words: str) -> str:
    """Return values of an axis of a benchmark, separated by commas, as they are called now."""
    if axis == _AXIS:
        known = _aliases().get(benchmark.rpartition("/")[2], {})
    else:
        known = _VALUES.get(axis, {})
    return ",".join(dict.fromkeys(known.get(word.strip(), word) for word in words.split(",")))


def _claim(claim: Claim) -> Claim:
    benchmark = str(claim.of.get("benchmark", ""))
    return replace(
        claim,
        of=_current(benchmark, claim.of),
        against=_current(benchmark, claim.against),
        rows=tuple(replace(row, at=_current(benchmark, row.at)) for row in claim.rows),
    )


def _current(benchmark: str, axes: Mapping[str, Any]) -> dict[str, Any]:
    return {
        axis: current_value(benchmark, axis, value) if isinstance(value, str) else value
        for axis, value in axes.items()
    }


@cache
def _aliases() -> dict[str, dict[str, str]]:
    return shipped.aliases(source_folder())
