"""The order of launches: contenders alternate, so that a drift of the machine hits all alike."""

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from comparison.cases import Case, Contender, points, sweep

Condition = Literal["quiet", "disturbed"]


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One launch of one contender."""

    condition: Condition
    round: int
    case: Case
    contender: Contender


def schedule(launches: int, sweeps: int) -> tuple[Step, ...]:
    """Return all launches in order: everything on the quiet machine first.

    Every contender of a figure is launched `launches` times under each condition, those of the
    wall time `sweeps` times on the quiet machine.
    """
    return (
        *_rounds("quiet", points(), launches),
        *_rounds("quiet", (sweep(),), sweeps),
        *_rounds("disturbed", points(), launches),
    )


def _rounds(condition: Condition, cases: Iterable[Case], rounds: int) -> Iterator[Step]:
    cases = tuple(cases)
    for number in range(rounds):
        for case in cases:
            for contender in case.contenders:
                yield Step(condition=condition, round=number, case=case, contender=contender)
