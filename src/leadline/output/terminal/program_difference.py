"""Two recordings of a program side by side, for people: the answer, then call by call."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING, TextIO

from leadline.core.units import about_bytes, times
from leadline.explain.case import about_s
from leadline.explain.difference import CallDifference, ExplainedDifference
from leadline.output.table import Column, number, table_of
from leadline.output.terminal.console import console_for
from leadline.output.terminal.table import draw
from leadline.output.terminal.text import printable

if TYPE_CHECKING:
    from rich.text import Text

_WIDTH, _MOST = 80, 10
# Wall times that differ by less are called equal.
_EQUAL = 0.01


def print_difference(found: ExplainedDifference, file: TextIO | None = None) -> None:
    """Print what differs on `file` (default: stdout)."""
    console = console_for(file)
    for line in lines(found):
        console.print(line, soft_wrap=True, markup=False)


def lines(found: ExplainedDifference) -> Iterator[Text]:
    """Yield the lines of the answer, at most 80 columns wide."""
    from rich.text import Text

    for line in wrap(printable(f"=== leadline explain: {headline(found)}"), _WIDTH):
        yield Text(line, style="bold")
    yield Text(printable(f"base:  {found.base}")[:_WIDTH])
    yield Text(printable(f"other: {found.other}")[:_WIDTH])
    yield Text()
    shown = found.calls[:_MOST]
    columns = (
        Column("call", cut=True),
        number("size"),
        number("calls"),
        number("waiting"),
        number("was"),
        number("transfer"),
        number("was"),
        number("more"),
    )
    rows = [_row(each) for each in shown]
    caption = "" if len(shown) == len(found.calls) else f"{len(shown)} of {len(found.calls)}"
    computing = ("computing", "", "", "", "", "", "", _signed(_computing(found)))
    yield from draw(table_of(columns, [computing, *rows], caption), _WIDTH)


def headline(found: ExplainedDifference) -> str:
    """Return the answer in a sentence: how much slower or faster, and what most of it is."""
    before, after = found.base_seconds, found.seconds
    took = f"{about_s(after)}, was {about_s(before)}"
    if before <= 0 or after <= 0 or abs(after - before) <= _EQUAL * before:
        said = f"both take equally long ({took})"
    elif after > before:
        said = f"the second is {times(after / before)} slower ({took})"
    else:
        said = f"the second is {times(before / after)} faster ({took})"
    return f"{said}: {_largest(found)}."


def _largest(found: ExplainedDifference) -> str:
    """Return what most of the difference is: a call that waits or moves data, or computing."""
    computing = _computing(found)
    call = found.calls[0] if found.calls else None
    waits = call is not None and abs(call.waiting_more_s) >= abs(call.transfer_more_s)
    seconds = (call.waiting_more_s if waits else call.transfer_more_s) if call else 0.0
    if call is None or abs(computing) > abs(seconds):
        return f"computing takes {about_s(abs(computing))} {'more' if computing > 0 else 'less'}"
    verb = "waits" if waits else "moves data for"
    word = "more" if seconds > 0 else "less"
    return f"{call.call}, {about_bytes(call.bytes)}, {verb} {about_s(abs(seconds))} {word}"


def _computing(found: ExplainedDifference) -> float:
    return found.computing_s - found.base_computing_s


def _row(each: CallDifference) -> tuple[str, ...]:
    calls = (
        str(each.calls)
        if each.calls == each.base_calls
        else f"{each.calls} (was {each.base_calls})"
    )
    return (
        each.call,
        about_bytes(each.bytes),
        calls,
        about_s(each.waiting_s),
        about_s(each.base_waiting_s),
        about_s(each.transfer_s),
        about_s(each.base_transfer_s),
        _signed(each.more_s),
    )


def _signed(seconds: float) -> str:
    text = about_s(abs(seconds))
    return text if text == "0 s" else f"{'+' if seconds > 0 else '-'}{text}"
