"""What a rule says of a program that hangs."""

import msgspec


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
