"""A program that is watched while `leadline explain` follows it: what is wanted, what was said."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from leadline.cli.options import say
from leadline.core.errors import UserError
from leadline.core.units import parse_duration

if TYPE_CHECKING:
    from pathlib import Path

VARIABLE = "LEADLINE_EXPLAIN_WATCH"
_ABORT = "abort"
# In the folder of a recording: what its program's watchers told.
_FILE = "hang.txt"


class Watch(NamedTuple):
    """The seconds without movement that are a hang, and whether a hang ends the program."""

    limit_s: int
    aborts: bool

    def variables(self, leadline: Path) -> dict[str, str]:
        """Return what the watcher reads, which asks the program `leadline` for the reason."""
        then = f",{_ABORT}" if self.aborts else ""
        return {VARIABLE: f"{self.limit_s}s{then}", "LEADLINE_COMMAND": str(leadline)}


def watch_of(given: str | None, then: str | None) -> Watch | None:
    """Return how a program is to be watched, None where nobody asks for it.

    `given` is the option's value, without which the variable counts: a time, and `,abort` behind it
    where a hang is to end the program. Raises `UserError` where that is anything else, or where
    something is to be done `then` and nobody watches.
    """
    text = os.environ.get(VARIABLE, "") if given is None else given
    if not text and given is None:
        if then:
            raise UserError(f"--then {then} is for --watch TIME: add --watch 60s")
        return None
    source = "--watch" if given is not None else VARIABLE
    time, _, after = text.partition(",")
    try:
        limit_s = parse_duration(f"{time}s" if time.strip().isdigit() else time)
    except UserError as error:
        raise UserError(f"{source}: {error}") from None
    if after not in ("", _ABORT):
        raise UserError(f"{source}: {text!r}: only `,{_ABORT}` may stand behind the time")
    return Watch(limit_s, aborts=_ABORT in (then, after))


def say_hangs(recording: Path) -> None:
    """Say on standard error which hangs were told while the program of a recording ran."""
    file = recording / _FILE
    with suppress(OSError):
        told = [line for line in file.read_text().splitlines() if line.startswith("leadline: ")]
        hangs = sum(not line.endswith(" died") for line in told)
        times = f" {hangs} times" if hangs > 1 else ""
        say(f"it {f'hung{times}' if hangs else 'lost ranks'} while it ran: {file}")
