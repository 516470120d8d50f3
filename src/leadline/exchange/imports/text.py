"""Lines of a text that may have been cut, and numbers that may have been garbled."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec

from leadline.core.errors import UserError
from leadline.core.units import count
from leadline.exchange.imports.reader import Origin, Source
from leadline.model.imported import Remark
from leadline.model.summary import PointSummary

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)
_COMMA = re.compile(r"(?<![\d,.])(\d+),(\d+)(?![\d,.])", re.ASCII)
# What launchers put before each line: Open MPI's --tag-output (4 and 5), Hydra's -prepend-rank
# and Slurm's --label.
_TAG = re.compile(r"\[[\w.:-]*\d+[,.]\d+\]<std\w+>: ?", re.ASCII)
_RANK = re.compile(r"(?:\[\d+\]|\d+:)(?: |\s*$)", re.ASCII)
_DEATHS = (
    (re.compile(r"CANCELLED\b.*DUE TO TIME LIMIT"), "cancelled: time limit"),
    (re.compile(r"slurmstepd: error: .*CANCELLED\b"), "cancelled"),
    (re.compile(r"oom.kill|Out Of Memory", re.IGNORECASE), "out of memory"),
    (re.compile(r"BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES"), "a process failed"),
    (re.compile(r"MPI_ABORT was invoked|application called MPI_Abort\("), "MPI_Abort"),
    (re.compile(r"error occurred in MPI_|ERRORS_ARE_FATAL|Fatal error in P?MPI_"), "MPI error"),
    (re.compile(r"forrtl: (severe|error)"), "a process failed"),
    (re.compile(r"noticed that process rank|srun: error: .*task"), "a process failed"),
    (re.compile(r"Segmentation fault|Bus error|Floating point exception"), "a process crashed"),
    (re.compile(r"(\S+: line \d+: +\d+ )?(Killed|Aborted|Terminated)\b.*"), "killed"),
)  # fmt: skip
# What differs between two starts of one command.
_PASSING = re.compile(
    r"\b\d{4}-\d{2}-\d{2}\b|(?<![\w.:])\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?![\w:.,])"
    r"|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? +(?:\w{3} +\d{1,2}|\d{1,2} \w{3})\b,?"
    r"(?: +\d{1,2}:\d{2}:\d{2})?(?: +[A-Z]{3,4})?(?: +\d{4}\b)?"
    r"|(?i:\b(?:job|step)(?:[ _]?id)?\s*[:=#]?\s*)\d+(?:\.\d+)*\b"
)
# How outputs end: no part of what stands above the next one.
_TRAILER = re.compile(
    r"All processes entering MPI_Finalize|Out of bounds values|Avg bus bandwidth"
    r"|Collective test concluded|GPU memory usage"
)
_COMMAND = re.compile(
    r"^[$+>] |\b(?:mpirun|mpiexec\S*|srun|prun|aprun|jsrun|oshrun|mpirun_rsh)\b"
    r"|\bmodule (?:load|swap)\b"
)
_RULE = re.compile(r"[-=_*+ ]{3,}")
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
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
    the processes, what each benchmark measures, and from which table its next figures are.
    """

    def __init__(self, source: Source, program: str = "") -> None:
        self.file = str(source.path)
        # Of the file, for readers that do not go line by line.
        self.lines = source.text.count("\n") + 1
        self.program = program
        self.when = ""
        self.placed = False
        self.summaries: dict[str, str] = {}
        self.origin = Origin()
        self._remarks: list[Remark] = []
        self._read: set[int] = set()
        self._rows: dict[int, int] = {}

    def lost(self, line: int, text: str) -> None:
        """Say that something on this line could not be read."""
        self._remarks.append(Remark(file=self.file, line=line, text=text))

    def left_out(self, line: int, text: str, lines: Sequence[Line]) -> None:
        """Say that a table is left out, and with how many of its rows."""
        rows = sum(is_row(one.text) for one in lines)
        self._rows[line] = max(rows, 1)
        self.lost(line, f"{text}: left out with {count(rows, 'row')}" if rows else text)

    def rows_lost(self, rows: Sequence[Line], text: str) -> None:
        """Say once why several rows could not be read."""
        self._rows[rows[0].number] = len(rows)
        self.lost(rows[0].number, text)

    def no_row(self, line: Line) -> None:
        """Say that a line in a table is none of its rows."""
        self.lost(line.number, f"this is no row of its table: {shortened(line.text)}")

    def passed(self, line: Line) -> None:
        """Say that a line in a table is of another program: no figure is lost with it."""
        remark = Remark(file=self.file, line=line.number, text=shortened(line.text), kind="passed")
        self._remarks.append(remark)

    def timed(self, figures: Iterable[PointSummary], line: Line) -> Iterator[PointSummary]:
        """Yield the figures of a line but those whose time is printed as 0, which is said."""
        for figure in figures:
            if figure.median_s > 0:
                yield figure
            else:
                text = f"a time of 0 is less than the last digit: {shortened(line.text)}"
                one = Remark(file=self.file, line=line.number, text=text, kind="passed")
                self._remarks += [one] * (one not in self._remarks)

    def assumed(self, text: str) -> None:
        """Say, once, what the file leaves open and is taken to be so."""
        remark = Remark(file=self.file, line=0, text=text, kind="assumed")
        if remark not in self._remarks:
            self._remarks.append(remark)

    def above(self, lines: Sequence[Line], start: int) -> str:
        """Return what stands above the line `start`: its block, and the commands before it.

        Job numbers, dates and times of day, in which two starts of one command differ, are left
        out.
        """
        found: list[str] = []
        ended = False
        for line in reversed(lines[:start]):
            text = line.text.strip("# \t")
            text = "" if _RULE.fullmatch(text) else text
            if text and number(text.split()[0]) is not None:
                break
            ended = ended or (not text and bool(found))
            # A command may stand above a box of warnings.
            if not text or _TRAILER.search(text) or (ended and not _COMMAND.search(text)):
                continue
            self._read.add(line.number)
            words = _PASSING.sub("", text).split()
            found.insert(0, " ".join(word for word in words if re.search(r"\w|[$+>]", word)))
        return " ".join(filter(None, found))

    def titled(self, figures: Iterable[PointSummary], summary: str) -> Iterator[PointSummary]:
        """Yield the figures, and note what their benchmarks measure."""
        for figure in figures:
            self.summaries[figure.benchmark] = summary
            yield figure

    def all(self) -> tuple[Remark, ...]:
        """Return the remarks; of very many of a kind, the first and how many more."""
        lost = self._first("lost", "cannot be read")
        known = self._read | {one.line for one in self._remarks if one.kind == "lost"}
        passed = self._first("passed", "are of another program", known)
        return (*lost, *passed, *(one for one in self._remarks if one.kind == "assumed"))

    def _first(self, kind: str, said: str, known: Collection[int] = ()) -> list[Remark]:
        wanted = (one for one in self._remarks if one.kind == kind and one.line not in known)
        found = sorted(wanted, key=lambda one: one.line)
        if len(found) > _MOST_REMARKS:
            more = sum(self._rows.get(one.line, 1) for one in found[_MOST_REMARKS:])
            text = f"from here on {more} more lines {said}"
            found[_MOST_REMARKS:] = [msgspec.structs.replace(found[_MOST_REMARKS], text=text)]
        return found

    def nothing(self, what: str) -> UserError:
        """Return the error that there is no figure of the program `what`, and why."""
        lost = [one for one in self.all() if one.kind == "lost"]
        first = f": line {lost[0].line}: {lost[0].text}" if lost else ""
        return UserError(f"{self.file} has no figure of {what} that can be read{first}")


def whole_lines(source: Source, notes: Notes) -> list[Line]:
    """Return the lines that end: where a file was cut, a number may have lost its last digits.

    Decimal commas are points in them. What a launcher or system says of the run's death is
    remarked on.
    """
    pieces = source.text.split("\n")
    if not _ends(pieces):
        last = pieces.pop()
        notes.lost(len(pieces) + 1, f"the file ends in the middle of {shortened(last)}")
    for index, text in enumerate(pieces):
        if len(text) > _LONGEST:
            notes.lost(index + 1, f"this line has {len(text)} characters: {shortened(text)}")
            pieces[index] = "?"
    lines = [Line(number, text.rstrip()) for number, text in enumerate(pieces, start=1)]
    _remark_on_death(lines, notes)
    return _with_points(lines)


def _ends(pieces: Sequence[str]) -> bool:
    """Whether the last line is whole though nothing ends it: a comment, or a row with all digits.

    All that is known of a row's digits is how many the row above has behind the point.
    """
    last = _COMMA.sub(r"\1.\2", pieces[-1])
    if not last or last.startswith("#"):
        return True
    before = _COMMA.sub(r"\1.\2", pieces[-2]) if len(pieces) > 1 else ""
    words, above = last.split(), before.split()
    return (
        len(words) == len(above) > 1
        and all(
            number(one) is not None and one.partition(".")[1:2] == other.partition(".")[1:2]
            for one, other in zip(words, above, strict=True)
        )
        and _digits(words[-1]) == _digits(above[-1]) > 0
    )


def _digits(word: str) -> int:
    return len(re.split("[.,]", word)[-1]) if re.search("[.,]", word) else 0


def _remark_on_death(lines: Sequence[Line], notes: Notes) -> None:
    for line in lines:
        if line.text.startswith("#"):
            continue
        for pattern, what in _DEATHS:
            if pattern.search(line.text) if what != "killed" else pattern.fullmatch(line.text):
                notes.lost(line.number, f"the run died here, {what}: {shortened(line.text)}")
                return


def _with_points(lines: Sequence[Line]) -> list[Line]:
    """Return the lines with decimal points for decimal commas, where a file has no points.

    A comma before exactly three digits may part thousands: where all are so, they are left.
    """
    rows = [line.text for line in lines if is_row(_COMMA.sub(r"\1.\2", line.text))]
    commas = [match for text in rows for match in _COMMA.findall(text)]
    if any("." in text for text in rows) or all(len(digits) == 3 for _, digits in commas):
        return list(lines)
    return [
        line._replace(text=_COMMA.sub(r"\1.\2", line.text))
        if not line.text.startswith("#")
        else line
        for line in lines
    ]


def untagged(text: str) -> str:
    """Return the text without what a launcher puts before each line, colours and a mark of order.

    >>> untagged("[1,0]<stdout>:# OSU MPI Latency Test")
    '# OSU MPI Latency Test'
    """
    lines = _COLOUR.sub("", text.removeprefix("\ufeff")).split("\n")
    if any(_TAG.match(line) for line in lines):
        lines = [_TAG.sub("", line, count=1) if _TAG.match(line) else line for line in lines]
    # NetPIPE numbers its rows alike, but has no comments.
    elif any(re.match(r"(?:\[\d+\]|\d+:) #", line, re.ASCII) for line in lines):
        lines = [_RANK.sub("", line, count=1) if _RANK.match(line) else line for line in lines]
    return "\n".join(lines)


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
    *,
    named: bool = False,
) -> Iterator[Row]:
    """Yield the rows that follow a heading, each of `width` numbers; `texts` are words instead.

    Lines of another program are passed over while the numbers in the column `size` go on rising
    after them. A line that may have been a row once, with numbers at its ends, ends the table
    where they do not, since with it the heading of another table may be lost; comments end it too.
    Where each row is `named` they need not rise. Rows behind the end are remarked on.
    """
    last, doubt = -1.0, False
    for index, line in enumerate(lines):
        words = line.text.split()
        value = number(words[size]) if size is not None and len(words) == width else None
        if not words or _RULE.fullmatch(line.text):
            continue
        if line.text.startswith("#"):
            remark_on_rows(lines[index:], notes, "this row may be of another table")
            return
        if len(words) == width and all(
            re.fullmatch(r"[\w/+.-]+", word, re.ASCII) if at in texts else number(word) is not None
            for at, word in enumerate(words)
        ):
            if doubt and not named and (value is None or value < last):
                remark_on_rows(lines[index:], notes, "this row may be of another table")
                return
            last = last if value is None else value
            yield Row(line, tuple(words))
        elif _like_row(line.text):
            notes.no_row(line)
            remark_on_rows(lines[index + 1 :], notes, "the table is damaged before this row")
            return
        else:
            notes.passed(line)
            doubt = True


def _like_row(text: str) -> bool:
    """Whether a line may have been a row: it is like one, or has no words either."""
    return is_row(text) or not any(map(_is_word, text.split()))


def _is_word(text: str) -> bool:
    return re.search("[A-Za-z]{2}", text) is not None


def remark_on_rows(lines: Sequence[Line], notes: Notes, why: str) -> None:
    """Remark on rows that belong to no table: their heading is lost."""
    rows = [line for line in lines if is_row(line.text)]
    if rows:
        notes.rows_lost(rows, f"{why}: {shortened(rows[0].text)}, {len(rows)} in all")


def is_row(text: str) -> bool:
    """Whether a line is like a row: it begins with a number, or has no fewer of them than words."""
    words = text.split()
    found = [number(word) is not None for word in words]
    return any(found) and (found[0] or sum(found) >= sum(map(_is_word, words)))
