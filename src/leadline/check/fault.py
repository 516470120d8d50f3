"""What a rule says of a launch, and the interface of the rules."""

import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import msgspec

from leadline.core.plugins import plugins

if TYPE_CHECKING:
    from leadline.check.command import Command
    from leadline.check.observation import Observation


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is wrong: the answer, what shows it, and the command that mends it.

    `fix` is a whole command, or one sentence where no command of this launch can mend it.
    """

    kind: str = ""
    ranks: tuple[int, ...]
    text: str
    evidence: tuple[str, ...] = ()
    fix: str


Find = Callable[["Observation", "Command"], Iterable[Fault]]


def find_faults(seen: "Observation") -> tuple[tuple[Fault, ...], tuple[str, ...]]:
    """Return what each rule finds, the gravest first (`GRAVITY` of its file), and failed rules.

    A rule that fails over what some kernel shows must end neither the other rules nor the user's
    program: it is named with its error.
    """
    from leadline.check.command import Command

    command = Command.of(seen)
    rules: list[Find] = plugins("leadline.check.faults", "find")
    found: list[Fault] = []
    failed: list[str] = []
    for rule in sorted(rules, key=_place):
        name = rule.__module__.rpartition(".")[2]
        try:
            found += [msgspec.structs.replace(fault, kind=name) for fault in rule(seen, command)]
        except Exception as error:
            failed.append(f"{name} ({type(error).__name__}: {error})")
    return tuple(found), tuple(failed)


def _place(rule: Find) -> tuple[int, str]:
    return getattr(sys.modules[rule.__module__], "GRAVITY", 50), rule.__module__
