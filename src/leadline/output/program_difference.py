"""What is said of two recordings side by side, wherever it is shown: the answer, and the calls."""

from __future__ import annotations

from leadline.core.units import about_bytes, times
from leadline.explain.case import about_s
from leadline.explain.difference import CallDifference, ExplainedDifference
from leadline.output.table import Column, Table, number, table_of
from leadline.output.words import calls_text

# Wall times that differ by less are called equal.
_EQUAL = 0.01


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


def calls(found: ExplainedDifference, most: int | None = None) -> Table:
    """Return the calls that differ most, computing first; all of them without `most`.

    Calls and times are those of an average rank.
    """
    shown = found.calls[:most]
    split = (number("waiting"), number("was"), number("transfer"), number("was"))
    columns = (
        Column("call", cut=True),
        number("size"),
        number("calls"),
        *(split if found.waiting_known else (number("time"), number("was"))),
        number("more"),
    )
    empty = [""] * (len(columns) - 2)
    computing = ("computing", *empty, _signed(_computing(found)))
    rows = [_row(each, found.waiting_known) for each in shown]
    caption = "" if len(shown) == len(found.calls) else f"{len(shown)} of {len(found.calls)}"
    return table_of(columns, [computing, *rows], caption)


def unknown(found: ExplainedDifference) -> str:
    """Return what the recordings do not tell, empty where they tell all."""
    if found.waiting_known:
        return ""
    return "One of them does not tell waiting from moving data: time is both."


def _largest(found: ExplainedDifference) -> str:
    computing = _computing(found)
    call = found.calls[0] if found.calls else None
    waits = call is not None and abs(call.waiting_more_s) >= abs(call.transfer_more_s)
    seconds = (call.waiting_more_s if waits else call.transfer_more_s) if call else 0.0
    if call is None or abs(computing) > abs(seconds):
        return f"computing takes {about_s(abs(computing))} {'more' if computing > 0 else 'less'}"
    verb = "takes" if not found.waiting_known else "waits" if waits else "moves data for"
    word = "more" if seconds > 0 else "less"
    size = "" if call.bytes is None else f" {about_bytes(call.bytes)},"
    return f"{call.call},{size} {verb} {about_s(abs(seconds))} {word}"


def _computing(found: ExplainedDifference) -> float:
    return found.computing_s - found.base_computing_s


def _row(each: CallDifference, waiting_known: bool) -> tuple[str, ...]:
    now, was = calls_text(each.calls), calls_text(each.base_calls)
    waiting = (about_s(each.waiting_s), about_s(each.base_waiting_s)) if waiting_known else ()
    return (
        each.call,
        "-" if each.bytes is None else about_bytes(each.bytes),
        now if now == was else f"{now} (was {was})",
        *waiting,
        about_s(each.transfer_s),
        about_s(each.base_transfer_s),
        _signed(each.more_s),
    )


def _signed(seconds: float) -> str:
    text = about_s(abs(seconds))
    return text if text == "0 s" else f"{'+' if seconds > 0 else '-'}{text}"
