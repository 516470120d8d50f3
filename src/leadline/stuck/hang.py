"""What a rule says of a program that hangs."""

from collections.abc import Iterable

import msgspec

from leadline.stuck.job import Rank, described, numbers


class Hang(msgspec.Struct, frozen=True, kw_only=True):
    """One reason for which a program does not go on: the answer, what shows it, the next step.

    `ranks` are those whose fault it is or may be, `missing` those for which ranks wait.
    """

    kind: str = ""
    ranks: tuple[int, ...]
    missing: tuple[int, ...] = ()
    text: str
    evidence: tuple[str, ...] = ()
    fix: str


def hang(
    ranks: Iterable[Rank],
    text: str,
    fix: str,
    *,
    missing: Iterable[Rank] = (),
    calls: Iterable[Rank] = (),
    evidence: Iterable[str] = (),
) -> Hang:
    """Return a finding; its evidence ends with the calls in which the ranks `calls` are."""
    return Hang(
        ranks=numbers(ranks),
        missing=numbers(missing),
        text=text[:1].upper() + text[1:],
        evidence=(*evidence, *described(calls)),
        fix=fix,
    )
