"""A program's phases side by side, as M. Pester, "CHiC als CLiC-Nachfolger" (2007), lists them.

One row a case and placement: problem size, iterations, the time of each phase, the share of
communication; `64x1` and `16x4` of one case stand below each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from leadline.analysis.results.program import WORK, communication_fraction
from leadline.core.errors import UserError
from leadline.model.run import Run
from leadline.model.summary import Analysis, PointSummary
from leadline.output.statistic import statistics_text
from leadline.output.table import Column, Table, table_of
from leadline.output.terminal.fields import to_fields, varying
from leadline.output.terminal.table import RunTable

_ITERATIONS = "iterations"
# The figures of one point, by series.
_Case = Mapping[str, PointSummary]


def make(run: Run, analysis: Analysis) -> Table:
    """Return the median time of each phase in seconds, from launches.

    Raises `UserError` for a run without figures of a problem size.
    """
    cases = [case for case in _cases(analysis.points) if _metric(case, WORK)]
    if not cases:
        raise UserError(
            f"the table phases takes a run of programs that tell their {WORK}: {run.run} has no "
            "such figures"
        )
    # An axis that is the problem size itself has its column already.
    named = [
        name
        for name in varying([to_fields(_first(case)) for case in cases])
        if any(to_fields(_first(case)).get(name) != _metric(case, WORK) for case in cases)
    ]
    phases = list(dict.fromkeys(name for case in cases for name in case))
    shares = [name for name in phases if any(_share(case.get(name)) is not None for case in cases)]
    counted = any(_metric(case, _ITERATIONS) for case in cases)
    ordered = sorted(cases, key=lambda case: _order(case, named))
    return table_of(
        notes=tuple(_notes(run, cases)),
        columns=(
            *map(Column, named),
            Column("placement"),
            Column(WORK, ".0f"),
            *([Column(_ITERATIONS, ".0f")] if counted else []),
            *(Column(f"{name}_s", ".4g") for name in phases),
            *(Column(f"communication_in_{name}_%", ".1f") for name in shares),
            Column(""),
        ),
        rows=tuple(
            (
                *(to_fields(_first(case)).get(name) for name in named),
                f"{_first(case).nodes}x{_first(case).processes_per_node}",
                _metric(case, WORK),
                *([_metric(case, _ITERATIONS)] if counted else []),
                *(case[name].median_s if name in case else None for name in phases),
                *(_share(case.get(name)) for name in shares),
                _mark(case),
            )
            for case in ordered
        ),
    )


def _cases(points: Sequence[PointSummary]) -> Iterator[_Case]:
    found: dict[object, dict[str, PointSummary]] = {}
    for point in points:
        key = (point.benchmark, point.nodes, point.processes_per_node, *to_fields(point).items())
        found.setdefault(key, {})[point.series] = point
    yield from found.values()


def _first(case: _Case) -> PointSummary:
    return next(iter(case.values()))


def _metric(case: _Case, name: str) -> float | None:
    return next((p.metrics[name] for p in case.values() if name in p.metrics), None)


def _order(case: _Case, named: Sequence[str]) -> tuple[object, ...]:
    """By size, then by what is chosen, then by processes, the most nodes first."""
    point = _first(case)
    texts = tuple(str(to_fields(point).get(name, "")) for name in named)
    return (point.benchmark, _metric(case, WORK), texts, point.processes, -point.nodes)


def _share(point: PointSummary | None) -> float | None:
    share = communication_fraction(point) if point else None
    return None if share is None else 100 * share


def _mark(case: _Case) -> str:
    wrong = any(not point.verified for point in case.values())
    shared = any(point.oversubscribed for point in case.values())
    return "NOT VERIFIED" if wrong else "more processes than cores" if shared else ""


def _notes(run: Run, cases: Sequence[_Case]) -> Iterator[str]:
    benchmarks = ", ".join(dict.fromkeys(_first(case).benchmark for case in cases))
    what = statistics_text(point for case in cases for point in case.values())
    yield f"{run.run}: {benchmarks}, {what} of each phase's time on the slowest process."
    yield "A placement is NODESxPROCESSES_PER_NODE. Communication is the mean over processes."


TABLE = RunTable(
    name="phases",
    summary="time of each phase of a program, iterations, share of communication",
    make=make,
)
