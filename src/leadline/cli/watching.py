"""A program that is watched while `leadline explain` follows it: its hangs are told and kept."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import nullcontext, suppress
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from leadline.cli.options import say
from leadline.core.errors import UserError
from leadline.core.units import parse_duration

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from leadline.core.processes import Requests
    from leadline.stuck.watchdog import Hung

VARIABLE = "LEADLINE_EXPLAIN_WATCH"
_ABORT = "abort"
# In the folder of a recording: what was told of its program's hangs.
_FILE = "hang.txt"


class Watch(NamedTuple):
    """The seconds without movement that are a hang, and whether a hang ends the program."""

    limit_s: int
    aborts: bool


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


def watched(
    recording: Path, watch: Watch | None, requests: Requests
) -> AbstractContextManager[object]:
    """Return a block in which the program that writes a recording is watched.

    A stop is added to `requests` where a hang is to end it.
    """
    if watch is None:
        return nullcontext()
    from leadline.stuck.watchdog import Watchdog

    def tell(hung: Hung) -> None:
        text = _format(hung)
        with suppress(OSError), (recording / _FILE).open("a") as file:
            file.write(text)
        ends = watch.aborts and hung.stands
        _print(text + ("leadline: the program ends: --then abort\n" if ends else ""))
        if ends:
            requests.append(signal.SIGTERM)

    def fail(error: Exception) -> None:
        _print(f"leadline: does not watch the program any more: {error}\n")

    return Watchdog(recording, float(watch.limit_s), tell, fail)


def _format(hung: Hung) -> str:
    from leadline.output.terminal.hang import lines
    from leadline.stuck.job import ago

    now = datetime.now().astimezone().isoformat(sep=" ", timespec="seconds")
    why = (
        f"no rank has moved for {ago(hung.seconds)}" if not hung.is_new_death else "a rank has died"
    )
    return "\n".join([f"leadline: {now}: {why}", *lines(hung.found), ""])


def _print(text: str) -> None:
    """Write to standard error; past Python's buffer, whose lock a blocked thread would keep."""
    data = text.encode(errors="replace")
    with suppress(OSError, ValueError, AttributeError):
        number = sys.stderr.fileno()
        while data:
            data = data[os.write(number, data) :]


def say_hangs(recording: Path) -> None:
    """Say on standard error which hangs were told while the program of a recording ran."""
    file = recording / _FILE
    with suppress(OSError):
        marks = [line for line in file.read_text().splitlines() if line.startswith("leadline: ")]
        if marks:
            times = "" if len(marks) == 1 else f" {len(marks)} times"
            say(f"it hung{times} while it ran: {file}")
