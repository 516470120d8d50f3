"""Many small messages, each of which costs as much as a larger one."""

from collections.abc import Iterator

from leadline.core.units import about_bytes
from leadline.explain.bounds import MESSAGE
from leadline.explain.case import Advice, Case, about_s
from leadline.explain.recording import BOTH, SEND, START

_SMALL, _JOINED = 1024, 8


def advise(case: Case) -> Iterator[Advice]:
    """Tell what small messages cost, and what joining eight of them could save."""
    sends = [
        row
        for row in case.rows
        if row.function.kind in (SEND, BOTH, START) and 0 < row.mean_bytes < _SMALL
    ]
    calls = sum(row.calls for row in sends)
    if not calls:
        return
    most = 0.0
    for row in sends:
        curve = next(
            (
                each
                for shape, each in case.bounds.curves.items()
                if shape.function == MESSAGE and shape.nodes == min(row.nodes, 2)
            ),
            None,
        )
        alone = curve.at(row.mean_bytes) if curve else None
        joined = curve.at(_JOINED * row.mean_bytes) if curve else None
        if alone is None or joined is None:
            return
        most += max(alone - joined / _JOINED, 0.0) * row.calls
    seconds = case.per_rank(most)
    if not case.is_worth(seconds):
        return
    size = about_bytes(sum(row.bytes for row in sends) / calls)
    yield Advice(
        text=f"{calls} messages have {size} on average: {_JOINED} joined in one would save at "
        f"most {about_s(seconds)}.",
        command=case.show_sites(),
        high_s=seconds,
        stake_s=seconds,
    )
