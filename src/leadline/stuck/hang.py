"""What a rule says of a program that hangs, and the interface of the rules."""

import sys
from collections.abc import Callable, Iterable

import msgspec

from leadline.core.plugins import plugins
from leadline.stuck.job import Job


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


Find = Callable[[Job], Iterable[Hang]]


def find_hangs(job: Job) -> tuple[tuple[Hang, ...], tuple[str, ...]]:
    """Return what each rule finds, causes before consequences (`GRAVITY` of its file).

    Where a rank has moved, only rules are asked that hold all the same (`ALWAYS` of their file).
    The second value names rules that failed, with the error.
    """
    rules: list[Find] = plugins("leadline.stuck.verdicts", "find")
    found: list[Hang] = []
    failed: list[str] = []
    for rule in sorted(rules, key=_place):
        module = sys.modules[rule.__module__]
        if job.moved and not getattr(module, "ALWAYS", False):
            continue
        if getattr(module, "LAST", False) and found:
            continue
        name = rule.__module__.rpartition(".")[2]
        try:
            found += [msgspec.structs.replace(hang, kind=name) for hang in rule(job)]
        except Exception as error:
            failed.append(f"{name} ({type(error).__name__}: {error})")
    return tuple(found), tuple(failed)


def _place(rule: Find) -> tuple[int, str]:
    return getattr(sys.modules[rule.__module__], "GRAVITY", 50), rule.__module__
