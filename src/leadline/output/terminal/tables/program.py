"""What a recorded program's calls take, with each MPI in a column, where the plan is of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from leadline.core.errors import UserError
from leadline.core.units import count, format_bytes, format_seconds, times
from leadline.model.published import ReplayedCalls, ReplayedProgram
from leadline.model.run import Run
from leadline.model.summary import Analysis
from leadline.output.table import Cell, Column, Table, number, table_of
from leadline.output.terminal.table import RunTable

_NOT_MEASURED = "-"


def make(run: Run, analysis: Analysis) -> Table:
    """Return a row for each of the program's calls and one for all of them.

    Raises `UserError` for a run whose plan is of no program.
    """
    found = analysis.replayed
    if not found:
        raise UserError(
            f"the table program takes a run of a plan that `leadline explain --replay` wrote: "
            f"{run.run} is none"
        )
    columns = (
        Column("call"),
        number("ranks"),
        number("size"),
        number("calls"),
        number("in_the_program"),
        *(number(_name(each)) for each in found),
    )
    calls = zip(*(each.calls for each in found), strict=True)
    rows = [_row(own) for own in calls]
    total = ("all", "", "", "", format_seconds(found[0].recorded_s), *map(_total, found))
    return table_of(columns, [*rows, total], notes=tuple(_notes(found)))


def _row(calls: Sequence[ReplayedCalls]) -> tuple[Cell, ...]:
    first = calls[0]
    return (
        first.call,
        str(first.ranks) if first.nodes == 1 else f"{first.ranks} on {first.nodes} nodes",
        _NOT_MEASURED if first.bytes is None else format_bytes(first.bytes),
        str(first.calls),
        format_seconds(first.recorded_s),
        *(format_seconds(each.seconds) for each in calls),
    )


def _total(each: ReplayedProgram) -> str:
    return format_seconds(each.seconds)


def _notes(found: Sequence[ReplayedProgram]) -> Iterator[str]:
    """Yield the answer, and what one must know of it."""
    first = found[0]
    known = [each for each in found if each.seconds is not None]
    if known:
        yield f"The calls of {first.program} take {', '.join(map(_time, known))}."
    if len(known) > 1:
        yield _fastest(known)
    for each in found:
        lacking = sum(calls.seconds is None for calls in each.calls)
        if lacking:
            yield (
                f"No total with {_name(each)}: {count(lacking, 'figure')} of {len(each.calls)} "
                "not measured."
            )
    with_mpi = f" with {first.recorded_mpi}" if first.recorded_mpi else ""
    yield (
        f"Seconds are those of an average rank of {first.ranks}, calls those of all ranks. In the "
        f"program{with_mpi} they took {format_seconds(first.recorded_s)} without waiting for late "
        "ranks; here each call takes what its benchmark does, one after the other."
    )


def _time(each: ReplayedProgram) -> str:
    ends = ""
    if each.low_s is not None and each.high_s is not None:
        ends = f" ({format_seconds(each.low_s)} to {format_seconds(each.high_s)})"
    return f"{format_seconds(each.seconds)}{ends} with {_name(each)}"


def _fastest(known: Sequence[ReplayedProgram]) -> str:
    """Return which is the fastest; surely so only where its interval is apart from all others."""
    best, *rest = sorted(known, key=lambda each: each.seconds or 0.0)
    second = rest[0]
    apart = all(
        best.high_s is not None and each.low_s is not None and best.high_s < each.low_s
        for each in rest
    )
    if not apart or not best.seconds or not second.seconds:
        return "Which is the fastest is not sure: the 95 % intervals overlap, or there are none."
    ratio = times(second.seconds / best.seconds)
    return f"{_name(best)} is the fastest: {ratio} faster than {_name(second)}."


def _name(each: ReplayedProgram) -> str:
    knobs = " ".join(f"{name}={value}" for name, value in each.knobs.items())
    return f"{each.mpi} {knobs}".strip()


TABLE = RunTable(
    name="program",
    summary="what the calls of a recorded program take, with each MPI in a column",
    make=make,
)
