"""Collectives for which faster algorithms are tuned, and not in use."""

from collections import defaultdict
from collections.abc import Iterator

from leadline.explain.case import Advice, Case, about_s

# Of the wall time: a saving that is measured needs no more.
_WORTH = 0.005


def advise(case: Case) -> Iterator[Advice]:
    """Tell what the tuned profile saves."""
    saved: dict[str, float] = defaultdict(float)
    least = most = 0.0
    for row in case.rows:
        if saving := case.bounds.saving_of(row):
            saved[row.function.name] += saving.seconds * row.calls
            least += saving.least * row.calls
            most += saving.most * row.calls
    seconds = case.per_rank(sum(saved.values()))
    if not case.command or seconds < _WORTH * case.seconds or seconds <= 0:
        return
    largest = sorted(saved, key=lambda name: -saved[name])[:3]
    yield Advice(
        text=f"Use the tuned algorithms of {_and(largest)}: they save {about_s(seconds)}.",
        command=case.leadline("exec", program=True),
        saves_s=seconds,
        low_s=case.per_rank(least),
        high_s=case.per_rank(most),
        stake_s=seconds,
    )


def _and(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
