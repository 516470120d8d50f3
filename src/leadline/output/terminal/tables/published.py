"""What was published beside what the run gives, where its plan holds published results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from leadline.core.errors import UserError
from leadline.model.published import Held
from leadline.model.run import Run
from leadline.model.summary import Analysis
from leadline.output.table import Cell, Column, Table, table_of
from leadline.output.terminal.table import RunTable

_COLUMNS = (
    Column("result"),
    Column("at"),
    Column("published"),
    Column("here"),
    Column("verdict"),
)
_PER_CENT = "saving"
# Nearer than this, in parts of one, is the published figure itself: it was rounded.
_ROUNDED = 0.005


def make(run: Run, analysis: Analysis) -> Table:
    """Return a row for each row of each claim.

    Raises `UserError` for a run whose plan has none.
    """
    if not analysis.published:
        raise UserError(
            f"the table published takes a run of a plan with published results, such as "
            f"plans/published-placement.toml: {run.run} has none"
        )
    return table_of(
        notes=tuple(_notes(analysis.published)),
        columns=_COLUMNS,
        rows=tuple(_row(held) for held in analysis.published),
    )


def _notes(rows: Sequence[Held]) -> Iterator[str]:
    for claim in dict.fromkeys(each.claim for each in rows):
        first = next(each for each in rows if each.claim == claim)
        yield f"{claim + 1}: {first.text} ({first.quantity.replace('_', ' ')}; {first.source})."
        if first.why:
            yield f"   {first.why}"


def _row(held: Held) -> tuple[Cell, ...]:
    alike = held.low == held.high
    low, high = _format_value(held.low, held.quantity), _format_value(held.high, held.quantity)
    return (
        str(held.claim + 1),
        " ".join(f"{name}={value}" for name, value in held.at.items()),
        low if alike else f"{low} to {high}",
        "not measured" if held.found is None else _format_value(held.found, held.quantity),
        _verdict(held),
    )


def _verdict(held: Held) -> str:
    if held.found is None or held.deviation is None:
        return ""
    end = held.high if held.deviation > 0 else held.low
    scale = 1.0 if held.quantity == _PER_CENT else abs(end) or 1.0
    if abs(held.deviation) <= _ROUNDED * scale:
        return "as published"
    if held.quantity == _PER_CENT:
        by = f"{abs(100 * held.deviation):.0f} points"
    else:
        by = f"{100 * abs(held.deviation) / scale:.0f} %"
    return f"{'more' if held.deviation > 0 else 'less'} by {by}"


def _format_value(value: float, quantity: str) -> str:
    return f"{100 * value:.0f} %" if quantity == _PER_CENT else f"{value:.3g}"


TABLE = RunTable(
    name="published",
    summary="published results beside what the run gives",
    make=make,
)
