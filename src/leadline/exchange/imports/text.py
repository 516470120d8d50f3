"""Lines of a text that may have been cut, and numbers that may have been garbled."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from leadline.core.errors import UserError
from leadline.exchange.imports.reader import Source
from leadline.model.imported import Remark
from leadline.model.summary import PointSummary

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)
_MOST_REMARKS = 20
# No program prints longer ones, and patterns take their time on what never ends.
_LONGEST = 2000


class Line(NamedTuple):
    """A line and its number, from 1. `text` has no white space at its end."""

    number: int
    text: str


class Notes:
    """What a file says beside its figures.

    Remarks in the order of its lines, program with version, date, whether it tells the nodes of
    the processes, and what each benchmark measures.
    """

    def __init__(self, source: Source, program: str = "") -> None:
        self.file = str(source.path)
        self.program = program
        self.when = ""
        self.placed = False
        self.summaries: dict[str, str] = {}
        self._remarks: list[Remark] = []

    def lost(self, line: int, text: str) -> None:
        """Say that something on this line could not be read."""
        self._remarks.append(Remark(file=self.file, line=line, text=text))

    def no_row(self, line: Line) -> None:
        """Say that a line in a table is none of its rows."""
        self.lost(line.number, f"this is no row of its table: {shortened(line.text)}")

    def assumed(self, text: str) -> None:
        """Say, once, what the file leaves open and is taken to be so."""
        remark = Remark(file=self.file, line=0, text=text, kind="assumed")
        if remark not in self._remarks:
            self._remarks.append(remark)

    def titled(self, figures: Iterable[PointSummary], summary: str) -> Iterator[PointSummary]:
        """Yield the figures, and note what their benchmarks measure."""
        for figure in figures:
            self.summaries[figure.benchmark] = summary
            yield figure

    def all(self) -> tuple[Remark, ...]:
        """Return the remarks; of very many that something is lost, the first and how many."""
        lost = sorted((one for one in self._remarks if one.kind == "lost"), key=lambda r: r.line)
        assumed = [one for one in self._remarks if one.kind != "lost"]
        if (more := len(lost) - _MOST_REMARKS) > 0:
            text = f"from here on {more} more lines cannot be read"
            lost[_MOST_REMARKS:] = [Remark(file=self.file, line=lost[-more].line, text=text)]
        return (*lost, *assumed)

    def nothing(self, what: str) -> UserError:
        """Return the error that there is no figure of the program `what`, and why."""
        lost = [one for one in self.all() if one.kind == "lost"]
        first = f": line {lost[0].line}: {lost[0].text}" if lost else ""
        return UserError(f"{self.file} has no figure of {what} that can be read{first}")


def whole_lines(source: Source, notes: Notes) -> list[Line]:
    """Return the lines that end: where a file was cut, a number may have lost its last digits."""
    pieces = source.text.split("\n")
    if last := pieces.pop():
        notes.lost(len(pieces) + 1, f"the file ends in the middle of {shortened(last)}")
    for index, text in enumerate(pieces):
        if len(text) > _LONGEST:
            notes.lost(index + 1, f"this line has {len(text)} characters: {shortened(text)}")
            pieces[index] = "?"
    return [Line(number, text.rstrip()) for number, text in enumerate(pieces, start=1)]


def first_match(pattern: re.Pattern[str], lines: Iterable[Line]) -> re.Match[str] | None:
    """Return what the first line that matches the pattern holds."""
    return next((match for line in lines if (match := pattern.fullmatch(line.text))), None)


def position(lines: Iterable[Line], wanted: Callable[[str], object]) -> int | None:
    """Return the index of the first line whose text is wanted."""
    return next((index for index, line in enumerate(lines) if wanted(line.text)), None)


def split_at(
    starts: Sequence[int],
    lines: Sequence[Line],
    notes: Notes,
    why: str = "this row is of no table",
) -> list[Sequence[Line]]:
    """Return the lines from each of the positions to the next one.

    Rows before the first one are remarked on: `why` they are of no table.
    """
    remark_on_rows(lines[: starts[0]] if starts else lines, notes, why)
    ends = [*starts[1:], len(lines)]
    return [lines[begin:end] for begin, end in zip(starts, ends, strict=False)]


def date_of(text: str) -> str:
    """Return a date as `ctime` of C prints it in ISO 8601, empty where it is none.

    >>> date_of("Sat Jan 31 10:15:00 2026")
    '2026-01-31T10:15:00'
    """
    try:
        return datetime.strptime(text, "%a %b %d %H:%M:%S %Y").isoformat()
    except ValueError:
        return ""


def number(word: str) -> float | None:
    """Return the number that `word` is, None for anything else, such as `nan` or `1_000`.

    >>> number("12.5"), number("1e-6"), number("12.5x"), number("inf")
    (12.5, 1e-06, None, None)
    """
    if not _NUMBER.fullmatch(word):
        return None
    value = float(word)
    return value if math.isfinite(value) else None


def numbers(words: Iterable[str]) -> list[float] | None:
    """Return the numbers that all of `words` are, or None."""
    found = [number(word) for word in words]
    sound = [value for value in found if value is not None]
    return sound if len(sound) == len(found) else None


def whole(value: float | None) -> int | None:
    """Return `value` as a whole number from 0 that a size or count can be, else None."""
    if value is None or not 0 <= value < 2**63 or value != int(value):
        return None
    return int(value)


def shortened(text: str) -> str:
    """Return `text` in quotes, in printable characters, and not too long for a remark.

    >>> shortened("a" * 100)
    "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...'"
    """
    flat = " ".join("".join(c if c.isprintable() else "?" for c in text).split())
    return f"'{flat if len(flat) <= 60 else flat[:60] + '...'}'"


class Row(NamedTuple):
    """A row of a table: its line and its words."""

    line: Line
    words: tuple[str, ...]


def table_rows(
    lines: Sequence[Line],
    width: int,
    notes: Notes,
    size: int | None = None,
    texts: Collection[int] = (),
) -> Iterator[Row]:
    """Yield the rows that follow a heading, each of `width` numbers; `texts` are words instead.

    A line that may have been a row once (it is indented, or begins or ends with a digit) ends the
    table, since with it the heading of another table may be lost; lines of a foreign program do
    not, if the numbers in the column `size` still rise after them. Comments end it too.
    Rows behind the end are remarked on.
    """
    last, doubt = -1.0, False
    for index, line in enumerate(lines):
        words = line.text.split()
        value = number(words[size]) if size is not None and len(words) == width else None
        if not words:
            continue
        if "#" in line.text or (doubt and (value is None or value <= last)):
            remark_on_rows(lines[index:], notes, "this row may be of another table")
            return
        if len(words) == width and all(
            re.fullmatch(r"[\w/+.-]+", word, re.ASCII) if at in texts else number(word) is not None
            for at, word in enumerate(words)
        ):
            last = last if value is None else value
            yield Row(line, tuple(words))
        elif line.text[0].isspace() or line.text[0].isdigit() or line.text[-1].isdigit():
            notes.no_row(line)
            remark_on_rows(lines[index + 1 :], notes, "the table is damaged before this row")
            return
        else:
            doubt = True


def remark_on_rows(lines: Sequence[Line], notes: Notes, why: str) -> None:
    """Remark on rows that belong to no table: their heading is lost."""
    rows = [line for line in lines if _is_row(line.text)]
    if rows:
        text = f"{why}: {shortened(rows[0].text)}, {len(rows)} in all"
        notes.lost(rows[0].number, text)


def _is_row(text: str) -> bool:
    words = text.split()
    return len(words) > 1 and numbers(words) is not None
