"""NetPIPE 3 to 5: its data file `np.out`, and what it prints.

Q. O. Snell, A. R. Mikler, J. L. Gustafson, "NetPIPE: A Network Protocol Independent Performance
Evaluator", 1996. The time is half of a round trip: in version 3 of the fastest of several trials,
from version 4 averaged over trials. A megabit has 2^20 bits in version 3, 10^6 later.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from leadline.exchange.imports.printed import Place, Statistic, Subject, figure, reader
from leadline.exchange.imports.text import Line, Notes, first_match
from leadline.model.summary import PointSummary

_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_NUMBER = r"(\d{1,12}\.\d{1,12})"
_TIMES = {"nsecs": 1e-9, "usecs": 1e-6, "msecs": 1e-3, "secs": 1.0}
_SIZES = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}
_RATES = {**_SIZES, "T": 10**12}
_PAIRS = re.compile(r"Bidirectional mode using (\d{1,6}) pairs of processes\.")
_BOTH_WAYS = "Passing data in both directions simultaneously."

_WHICH_WAYS = (
    "a data file of NetPIPE does not say whether data went both ways at once: taken as not"
)


class _Row(NamedTuple):
    """Bytes one way, seconds, bits a second, and half of the last digit of both."""

    size: int
    seconds: float
    rate: float
    seconds_error: float
    rate_error: float

    def agrees(self, ways: int) -> bool:
        """Whether so many messages at once make the rate of the time, as far as digits go."""
        if not self.seconds:
            return False
        expected = ways * self.size * 8 / self.seconds
        doubt = expected * self.seconds_error / self.seconds + self.rate_error
        return abs(expected - self.rate) <= 1.2 * doubt + 1e-6 * expected


def _console_5(found: re.Match[str]) -> _Row:
    size = round(float(found[1]) * _SIZES[found[2]])
    unit, prefix = _TIMES[found[6]], _RATES[found[4]]
    rate = float(found[3]) * prefix
    # A size of more than 999 bytes is printed with four to six digits.
    return _Row(size, float(found[5]) * unit, rate, 5e-4 * unit, 5e-4 * prefix + 5e-4 * rate)


class _Form(NamedTuple):
    """A shape of rows: its pattern, what a row says, and which of several trials it gives."""

    pattern: re.Pattern[str]
    row: Callable[[re.Match[str]], _Row]
    statistic: Statistic
    console: bool


_MEBI = 2**20
_FORMS = (
    _Form(
        re.compile(rf" *(\d{{1,10}}) {_NUMBER} +{_NUMBER}"),
        lambda m: _Row(int(m[1]), float(m[3]), float(m[2]) * _MEBI, 0.5e-8, 1.0),
        "minimum",
        console=False,
    ),
    _Form(
        re.compile(rf" *(\d{{1,10}}) +{_NUMBER} +{_NUMBER} +{_NUMBER} +{_NUMBER}"),
        lambda m: _Row(int(m[1]), float(m[5]) / 1e6, float(m[2]) * 1e9, 0.5e-8, 0.5e6),
        "mean",
        console=False,
    ),
    _Form(
        re.compile(
            rf" *\d+: +(\d{{1,10}}) bytes +\d+ times --> +{_NUMBER} Mbps in +{_NUMBER} usec"
        ),
        lambda m: _Row(int(m[1]), float(m[3]) / 1e6, float(m[2]) * _MEBI, 0.5e-8, 5e-3 * _MEBI),
        "minimum",
        console=True,
    ),
    _Form(
        re.compile(
            rf" *\d+: +(\d{{1,6}}\.?\d{{0,6}}) +([KMG]?)B +\d+ times --> +{_NUMBER} +([KMGT]?)bps"
            rf" +in +{_NUMBER} +(nsecs|usecs|msecs|secs)"
        ),
        _console_5,
        "mean",
        console=True,
    ),
)


def _recognises(text: str) -> bool:
    """Tell whether a text is what NetPIPE prints, or consists of the rows of its data file."""
    lines = [_COLOUR.sub("", line).rstrip() for line in text.splitlines() if line.strip()]
    rows = [form for line in lines for form in _FORMS if form.pattern.fullmatch(line)]
    return any(form.console for form in rows) or (bool(rows) and 2 * len(rows) > len(lines))


def _figures(printed: Sequence[Line], notes: Notes) -> Iterator[PointSummary]:
    # NetPIPE 5 prints colours also into a file.
    lines = [Line(line.number, _COLOUR.sub("", line.text).rstrip()) for line in printed]
    match = first_match(_PAIRS, lines)
    pairs = int(match[1]) if match else 0
    both = pairs > 0 or any(one.text == _BOTH_WAYS for one in lines)
    # Both count in the bandwidth of what is printed, and in the bytes of the data file.
    ways = max(pairs, 1) * (2 if both else 1)
    subject = Subject("netpipe/both_ways" if both else "netpipe/pingpong", "one-way", {}, ways)
    rows = [(line, *parsed) for line in lines if (parsed := _parse(line.text))]
    if 2 * sum(row.agrees(ways) for _, _, row in rows) <= len(rows):
        # The line that says which way data went may be lost.
        if rows:
            notes.lost(rows[0][0].number, "rates and times here and below contradict each other")
        return
    for line in lines:
        if not _parse(line.text) and _is_spoilt(line.text):
            notes.no_row(line)
    last = 0
    for line, form, row in rows:
        # Few digits do not tell one way from both, and the line that says it may be lost.
        either = form.console and ways == 1 and row.agrees(2)
        if not row.agrees(ways) or either or row.size <= last:
            notes.no_row(line)
            continue
        last = row.size
        if not form.console:
            notes.assumed(_WHICH_WAYS)
        yield figure(
            subject,
            row.seconds,
            place=Place(2 * max(pairs, 1)),
            mpi="netpipe",
            size=row.size,
            statistic=form.statistic,
        )


def _parse(text: str) -> tuple[_Form, _Row] | None:
    matches = ((form, form.pattern.fullmatch(text)) for form in _FORMS)
    return next(((form, form.row(match)) for form, match in matches if match), None)


def _is_spoilt(text: str) -> bool:
    words = text.split()
    numbered = bool(words) and bool(re.fullmatch(r"\d+:?", words[0]))
    return "-->" in text or (numbered and (len(words) == 1 or not words[1][:1].isalpha()))


READER = reader(
    "netpipe",
    "NetPIPE",
    _recognises,
    _figures,
    "NetPIPE: half of a round trip of a message that is received before it is sent back; version 3 "
    "gives the fastest trial, later ones the mean over trials",
    program="NetPIPE",
    summary="ping-pong of NetPIPE",
)
