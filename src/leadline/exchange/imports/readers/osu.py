"""OSU Micro-Benchmarks, from 3 to 7: plain tables, `-f`, `-c` and percentiles.

What the columns mean: the benchmarks' own README (Network-Based Computing Laboratory, Ohio State
University). A latency of a collective is the mean over its repetitions, averaged over the ranks;
`Min` and `Max` are over the ranks too. A megabyte has 10^6 bytes from version 3.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from leadline.exchange.imports.osu_tests import Test, as_leadline_has_it, one_sided_axes, test_of
from leadline.exchange.imports.printed import (
    AVERAGE,
    COMMUNICATION,
    COMPLETION,
    COMPUTATION,
    TOGETHER,
    Place,
    Statistic,
    figure,
    reader,
)
from leadline.exchange.imports.reader import Origin
from leadline.exchange.imports.text import (
    Line,
    Notes,
    Row,
    is_row,
    numbers,
    shortened,
    split_at,
    table_rows,
    whole,
)
from leadline.model.plan import Value
from leadline.model.summary import PointSummary

_TITLE = re.compile(
    r"# OSU (?:One Sided )?((?:MPI|OpenSHMEM)[\w /-]*?)"
    r"(-[A-Z]+(?: MANAGED)?)?( [\w /-]+?)? Test"
    r"(?: v([\d.]+)(?:-[\w.]+)?| \(Version ([\d.]+)\))?"
)
_COLUMN = re.compile(
    r"Size|Operation|Iterations|Validation|Transmit Size|Overlap\(%\)|Messages/s|Million ops/s"
    r"|(?:(?:Avg|Min|Max) )?Latency ?\((?:us|usec)\)|(?:Bi-)?Bandwidth \(MB/s\)|MB/s"
    r"|(?:Overall|Compute|Coll\. Init|MPI_Test|MPI_Wait|Pure Comm\.|Min Comm\.|Max Comm\.)\(us\)"
    r"|P\d{1,2} Tail Lat\(us\)|P\d{1,2} Tail BW\(MB/s\)"
)
_PAIRS = re.compile(r"# \[ pairs: (\d{1,9}) \] \[ window size: (\d{1,9}) \]")
_TYPE = re.compile(r"# Datatype: MPI_(CHAR|INT|FLOAT)\.")
_MEMORY = re.compile(
    r"# (?:Rank 0 Memory|Send Buffer) on (DEVICE|HOST|MANAGED) \(.\) "
    r"and (?:Rank 1 Memory|Receive Buffer) on (DEVICE|HOST|MANAGED) \(.\)"
)
_CREATED, _SYNCHRONISED = "# Window creation: ", "# Synchronization: "
_INIT = re.compile(r"nprocs: (\d{1,9}), min: (\d{1,9}) ms, max: (\d{1,9}) ms, avg: (\d{1,9}) ms")
_REMARK = re.compile(r"# Uni-directional Bandwidth \(MB/sec\)|# Overall = [\w. +]+")
# Beginnings of lines that say what is measured: one that is not understood spoils the table.
_TELLING = re.compile(
    r"#? ?(\[ ?pairs|Data ?type|Window creat|Sync|Rank \d Mem|(Send|Receive) Buf)"
)
_PLAIN = re.compile(r"(?=.*[A-Za-z]{2})[\w \t.,:;()'\"/=+#<>|!%&\[\]-]+", re.ASCII)
# Times have two digits behind the point, in microseconds.
_ROUNDING_S = 5e-9
_SMALL_MEGABYTE_FROM = (3, 1)

_MEAN = "the mean over the repetitions of one loop"
_MEANINGS = {
    "one-way": f"OSU: half of a round trip on rank 0, {_MEAN}, or the median where it was printed",
    "time": "OSU: the latency that it prints, " + _MEAN,
    "origin": f"OSU: call and synchronisation on rank 0, {_MEAN}",
    "call": f"OSU: one call, {_MEAN}",
    "per message": "OSU: bytes over the bandwidth that it prints, of windows of 64 messages "
    "unless it was told otherwise, all messages of a window from one buffer",
    "per message each way": "OSU: twice the bytes over the bandwidth of both ways, of windows of "
    "64 messages unless it was told otherwise",
    "per message of a pair": "OSU: pairs over the message rate of all of them",
    COMPLETION: f"OSU: each rank's time in the call, {_MEAN}; the slowest rank counts",
    AVERAGE: f"OSU: each rank's time in the call, averaged over the ranks, {_MEAN}, or the median "
    "where it was printed; a call ends later than that on its slowest rank",
    COMMUNICATION: f"OSU: the non-blocking call and its wait alone, {_MEAN}; the slowest rank",
    f"{COMMUNICATION}, {AVERAGE}": f"OSU: call and wait alone, averaged over the ranks, {_MEAN}",
    f"{COMPUTATION}, {AVERAGE}": f"OSU: the computation, averaged over the ranks, {_MEAN}",
    f"{TOGETHER}, {AVERAGE}": f"OSU: call, computation and wait, averaged over the ranks, {_MEAN}",
}
_RATES = ("Bandwidth (MB/s)", "Bi-Bandwidth (MB/s)", "MB/s")


class _Block(NamedTuple):
    """A table: its test with all axes, where it ran, and its columns."""

    title: str
    test: Test
    version: tuple[int, ...]
    place: Place
    pairs: int = 0
    columns: tuple[str, ...] = ()

    def with_axes(self, axes: Mapping[str, Value]) -> _Block:
        """Return the same with more axes."""
        subject = self.test.subject._replace(axes={**self.test.subject.axes, **axes})
        return self._replace(test=self.test._replace(subject=subject))


def _figures(lines: Sequence[Line], notes: Notes) -> Iterator[PointSummary]:
    starts = [i for i, line in enumerate(lines) if line.text.startswith("# OSU ")]
    versions: dict[str, None] = {}
    for start, part in zip(starts, split_at(starts, lines, notes), strict=True):
        block, body = _block(part, notes)
        if block:
            version = ".".join(map(str, block.version))
            rounding = 0.0 if set(block.columns) & {"Messages/s", *_RATES} else _ROUNDING_S
            notes.origin = Origin(lines[start].number, notes.above(lines, start), version, rounding)
            yield from notes.titled(_of_block(block, body, notes), f"{block.title} of OSU")
            versions |= {version: None}
    notes.program = " ".join(["OSU", *filter(None, versions)])


def _block(lines: Sequence[Line], notes: Notes) -> tuple[_Block | None, Sequence[Line]]:
    first = lines[0]
    match = _TITLE.fullmatch(first.text)
    title = (match[1] + (match[3] or "")) if match else ""
    test = test_of(title)
    if not match or not test:
        said = f"this is no test of OSU that is known: {shortened(first.text)}"
        notes.left_out(first.number, said, lines)
        return None, ()
    version = tuple(int(part) for part in (match[4] or match[5] or "").split(".") if part)
    start = _Block(title, test, version, Place(test.ranks))
    if match[2]:
        start = start.with_axes({"buffers": match[2].strip("-").lower().replace(" ", "-")})
    block, body = _read_heading(start, lines, notes)
    if block is None:
        notes.left_out(first.number, f"{title} has no heading that can be read", lines)
    return block, body


def _read_heading(
    block: _Block, lines: Sequence[Line], notes: Notes
) -> tuple[_Block | None, Sequence[Line]]:
    """Return the block with all that stands between its title and its first row.

    There is none where any of these lines is damaged. Lines of other programs are passed over.
    """
    created = ""
    for index, line in enumerate(lines[1:], start=1):
        text = line.text
        if match := _PAIRS.fullmatch(text):
            pairs = int(match[1])
            block = block.with_axes({"window": int(match[2])})._replace(
                pairs=pairs, place=Place(2 * pairs)
            )
        elif match := _TYPE.fullmatch(text):
            block = block.with_axes({} if match[1] == "CHAR" else {"datatype": match[1].lower()})
        elif match := _MEMORY.fullmatch(text):
            block = block.with_axes({"memory": f"{match[1]} to {match[2]}".lower()})
        elif text.startswith(_CREATED):
            created = text.removeprefix(_CREATED)
        elif text.startswith(_SYNCHRONISED):
            words = one_sided_axes(created, text.removeprefix(_SYNCHRONISED))
            if words is None:
                return None, ()
            block, created = block.with_axes(words), ""
        elif columns := _columns(text):
            whole_head = (block.pairs or "MB/s" not in columns) and not created
            return (block._replace(columns=columns) if whole_head else None), lines[index + 1 :]
        elif block.title == "MPI Init" and (match := _INIT.fullmatch(text)):
            return block._replace(place=Place(int(match[1]))), lines[index:]
        elif text.strip("#-= ") and not _REMARK.fullmatch(text):
            headed = any(unit in text for unit in ("(us)", "B/s", "Size"))
            if headed or _TELLING.match(text) or not _PLAIN.fullmatch(text) or is_row(text):
                return None, ()
            notes.passed(line)
    return None, ()


def _columns(text: str) -> tuple[str, ...]:
    """Return the columns that a heading names; none where anything in it is not one."""
    words = text.removeprefix("#")
    rest = _COLUMN.sub("", words)
    names = tuple(re.sub(r"\(usec\)", "(us)", one) for one in _COLUMN.findall(words))
    spaced = tuple(re.sub(r"Latency ?\(", "Latency (", one) for one in names)
    return () if rest.strip() or len(set(spaced)) < len(spaced) else spaced


def _of_block(block: _Block, lines: Sequence[Line], notes: Notes) -> Iterator[PointSummary]:
    columns = block.columns
    if not columns:
        for line in lines:
            if match := _INIT.fullmatch(line.text):
                low, high, mean = (int(match[group]) / 1e3 for group in (2, 3, 4))
                metrics = {"min_over_ranks_s": low, "mean_over_ranks_s": mean}
                series = block.test.subject.series
                yield _Cells(block, None, {}).figure(series, high, "single", metrics=metrics)
            elif line.text:
                notes.passed(line)
    else:
        size = 0 if columns[0] == "Size" else None
        texts = [i for i, name in enumerate(columns) if name in ("Operation", "Validation")]
        for row in table_rows(lines, len(columns), notes, size, texts):
            cells = _cells(block, row)
            figures = list(_of_row(cells)) if cells else ()
            if not figures:
                notes.no_row(row.line)
            yield from notes.timed(figures, row.line)


class _Cells(NamedTuple):
    """The numbers of a row by column, its size, and whether the data were right."""

    block: _Block
    size: int | None
    values: Mapping[str, float]
    verified: bool = True

    def seconds(self, column: str) -> float:
        """Return a time that is printed in microseconds."""
        return self.values[column] / 1e6

    def figure(
        self, series: str, seconds: float, statistic: Statistic = "mean", **more: Any
    ) -> PointSummary:
        """Return a figure of the row; `more` is what `printed.figure` takes beside."""
        return figure(
            as_leadline_has_it(self.block.test.subject).of(series),
            seconds,
            place=self.block.place,
            mpi="osu",
            size=self.size,
            statistic=statistic,
            verified=self.verified,
            **more,
        )


def _cells(block: _Block, row: Row) -> _Cells | None:
    texts = dict(zip(block.columns, row.words, strict=True))
    verdict, operation = texts.pop("Validation", "Pass"), texts.pop("Operation", None)
    found = numbers(texts.values())
    values = dict(zip(texts, found or (), strict=False))
    size = whole(values["Size"]) if "Size" in values else None
    if found is None or min(found) < 0 or ("Size" in texts and size is None):
        return None
    if verdict not in ("Pass", "Fail", "-"):
        return None
    if operation:
        if not re.fullmatch(r"shmem_[a-z_]+", operation):
            return None
        block = block.with_axes({"operation": operation})
    return _Cells(block, size, values, verdict != "Fail")


def _of_row(cells: _Cells) -> Iterator[PointSummary]:
    if "Overall(us)" in cells.values:
        yield from _overlap(cells)
    elif cells.values.keys() & {"Messages/s", *_RATES}:
        yield from _rate(cells)
    else:
        yield from _latency(cells)


def _latency(cells: _Cells) -> Iterator[PointSummary]:
    values, series = cells.values, as_leadline_has_it(cells.block.test.subject).series
    tails = (values.get(f"P{n} Tail Lat(us)") for n in (50, 90, 99))
    middle, p90, p99 = (None if one is None else one / 1e6 for one in tails)
    mean = values.get("Avg Latency (us)", values.get("Latency (us)", -1.0)) / 1e6
    if mean < 0:
        return
    slowest = "Max Latency (us)" in values
    if slowest and series in (COMPLETION, AVERAGE):
        low, high = cells.seconds("Min Latency (us)"), cells.seconds("Max Latency (us)")
        if not low - 1.1e-8 <= mean <= high + 1.1e-8:
            return
        metrics = {"min_over_ranks_s": low, "mean_over_ranks_s": mean}
        yield cells.figure(COMPLETION, high, metrics=metrics)
    if series == COMPLETION:
        series = AVERAGE
    tail = (p90, p99, None, None)
    if middle is not None:
        yield cells.figure(series, middle, "median", mean=mean, repetitions=tail)
    elif series != AVERAGE or not slowest:
        yield cells.figure(series, mean, repetitions=tail)


def _rate(cells: _Cells) -> Iterator[PointSummary]:
    """Yield the time of a message. A message rate has more digits than the bandwidth."""
    block, values = cells.block, cells.values
    series = as_leadline_has_it(block.test.subject).series
    if rate := values.get("Messages/s"):
        yield cells.figure(series, max(block.pairs, 1) / rate, rate=rate)
        return
    bandwidth = next((values[name] for name in _RATES if name in values), 0.0)
    megabyte = 1e6 if not block.version or block.version >= _SMALL_MEGABYTE_FROM else 2.0**20
    moved = block.test.messages * (cells.size or 0) * max(block.pairs, 1)
    if bandwidth > 0 and moved:
        mean = moved / (bandwidth * megabyte)
        if middle := values.get("P50 Tail BW(MB/s)"):
            yield cells.figure(series, moved / (middle * megabyte), "median", mean=mean)
        else:
            yield cells.figure(series, mean)


def _overlap(cells: _Cells) -> Iterator[PointSummary]:
    if "Max Comm.(us)" in cells.values:
        yield cells.figure(COMMUNICATION, cells.seconds("Max Comm.(us)"))
    yield cells.figure(f"{COMMUNICATION}, {AVERAGE}", cells.seconds("Pure Comm.(us)"))
    yield cells.figure(f"{COMPUTATION}, {AVERAGE}", cells.seconds("Compute(us)"))
    overlap = {"overlap_fraction": cells.values["Overlap(%)"] / 100}
    yield cells.figure(f"{TOGETHER}, {AVERAGE}", cells.seconds("Overall(us)"), metrics=overlap)


READER = reader(
    "osu",
    "OSU Micro-Benchmarks",
    re.compile("^# OSU (MPI|OpenSHMEM|One Sided)", re.MULTILINE).search,
    _figures,
    _MEANINGS,
    program="OSU",
)
