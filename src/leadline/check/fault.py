"""What a rule says of a launch."""

from collections.abc import Iterable, Mapping

import msgspec

from leadline.check.observation import Rank, format_ranks


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is wrong: the answer, what shows it, and the command that mends it.

    `fix` is a whole command, or one sentence where no command of this launch can mend it.
    """

    kind: str = ""
    ranks: tuple[int, ...]
    text: str
    evidence: tuple[str, ...] = ()
    fix: str


def fault(ranks: Iterable[Rank], text: str, fix: str, *evidence: str) -> Fault:
    """Return a fault of these ranks. A text that begins with ranks begins with a capital."""
    return Fault(
        ranks=tuple(rank.rank for rank in ranks),
        text=text.replace("rank", "Rank", 1) if text.startswith("rank") else text,
        evidence=evidence,
        fix=fix,
    )


def named(ranks: Iterable[Rank]) -> str:
    """Return ranks as people write them."""
    return format_ranks(rank.rank for rank in ranks)


def assigned(settings: Mapping[str, str]) -> tuple[str, ...]:
    """Return variables and their values as a shell takes them."""
    return tuple(f"{name}={value}" for name, value in settings.items())
