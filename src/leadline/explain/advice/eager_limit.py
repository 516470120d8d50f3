"""Messages just beyond a size from which the library takes a slower way."""

from collections.abc import Iterator

from leadline.core.units import format_bytes
from leadline.explain.bounds import MESSAGE
from leadline.explain.case import Advice, Case, about_s, percent_of
from leadline.explain.recording import BOTH, SEND, START

# So many times the size of the step is "just beyond" it.
_NEAR = 2
_MUCH = 0.2


def advise(case: Case) -> Iterator[Advice]:
    """Tell which part of the messages lies just beyond a jump of the measured curve."""
    for shape, curve in case.bounds.curves.items():
        if shape.function != MESSAGE or not case.mpi:
            continue
        sends = [
            row
            for row in case.rows
            if row.function.kind in (SEND, BOTH, START) and min(row.nodes, 2) == shape.nodes
        ]
        calls = sum(row.calls for row in sends)
        for limit, factor in curve.steps:
            beyond = [row for row in sends if limit < row.mean_bytes <= _NEAR * limit]
            part = sum(row.calls for row in beyond)
            before = curve.at(limit)
            if factor <= 1 or not calls or part < _MUCH * calls or before is None:
                continue
            most = case.per_rank(
                sum(row.calls * max((curve.at(row.mean_bytes) or 0) - before, 0) for row in beyond)
            )
            if not case.is_worth(most):
                continue
            yield Advice(
                text=f"{percent_of(part, calls)} of the messages lie just beyond the protocol "
                f"switch at {format_bytes(limit)}: a larger eager limit would save at most "
                f"{about_s(most)}.",
                command=_command(case, curve.benchmark, shape.nodes, limit),
                high_s=most,
                stake_s=most,
            )


def _command(case: Case, benchmark: str, nodes: int, limit: int) -> str:
    """Return the command that measures with the limit twice as large."""
    knob = "shm_eager_limit" if nodes == 1 else "eager_limit"
    place = "1x2" if nodes == 1 else "2x1"
    return case.leadline(
        "run", benchmark, "--mpi", case.mpi, "--place", place,
        "--bytes", f"{limit},{_NEAR * limit}", "--knob", f"{knob}=default,{_NEAR * limit}",
    )  # fmt: skip
