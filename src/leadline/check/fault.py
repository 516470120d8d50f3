"""What a rule says of a launch."""

import msgspec


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is wrong: the answer, what shows it, and the command that mends it.

    `fix` is a whole command, or one sentence where no command of this launch can mend it.
    """

    kind: str = ""
    ranks: tuple[int, ...]
    text: str
    evidence: tuple[str, ...] = ()
    fix: str
