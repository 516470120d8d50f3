"""ReproMPI: the time of each repetition, or its summary table.

S. Hunold, A. Carpen-Amarie, "Reproducible MPI Benchmarking is Still Not as Easy as You Think", IEEE
TPDS 27(12), 2016. A repetition lasts as long as on its slowest rank (`runtime_type=local`), or from
the first start to the last end (`global`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from leadline.analysis.stats import launches
from leadline.analysis.stats.statistics import nearest_rank
from leadline.exchange.imports.printed import (
    COMPLETION,
    Place,
    Subject,
    collective,
    figure,
    reading,
)
from leadline.exchange.imports.reader import Reader, Reading, Source
from leadline.exchange.imports.text import (
    Line,
    Notes,
    contains,
    number,
    remark_on_rows,
    shortened,
    table_rows,
    whole,
    whole_lines,
)
from leadline.model.summary import PointSummary

_SETTING = re.compile(r"#@(\w+)=(\S*)")
_CALL = re.compile(r"MPI_([A-Z][a-z_]+)")
_SIZES = ("count", "msize_bytes")
_SUMMARY = {"mean_sec", "median_sec", "min_sec", "max_sec", "var_sec", "stddev_sec"}
_RAW = {"process", "nrep", "errorcode", "runtime_sec"} | {
    f"{clock}_{end}_sec" for clock in ("loc", "gl") for end in ("tstart", "tend")
}
_DEFINITION = (
    "ReproMPI: a repetition, after a synchronisation, until the slowest rank is done; the median "
    "over the repetitions where the file has it, otherwise what it has"
)


class _Head(NamedTuple):
    """What the lines above the table say: processes, repetitions, root, and bytes of an element."""

    processes: int
    repetitions: int
    root: int
    extent: int


class _Test(NamedTuple):
    """A collective at a size, in elements or bytes as the table has it."""

    call: str
    size: int


def read(source: Source) -> Reading:
    """Return a figure for each collective and size. Raises `UserError` where none is sound."""
    notes = Notes(source)
    lines = whole_lines(source, notes)
    heading = next((i for i, one in enumerate(lines) if "test" in one.text.split()[:2]), None)
    head = _head(lines[:heading]) if heading is not None else None
    if heading is None or head is None:
        remark_on_rows(lines, notes, "there is no heading above")
        figures: tuple[PointSummary, ...] = ()
    else:
        figures = tuple(_figures(head, lines[heading], lines[heading + 1 :], notes))
    return reading(source, notes, "ReproMPI", "ReproMPI", figures, _DEFINITION, "timed by ReproMPI")


def _head(lines: Sequence[Line]) -> _Head | None:
    said = {m[1]: m[2] for one in lines if (m := _SETTING.fullmatch(one.text))}
    names = ("nprocs", "nrep", "root_proc", "datatype_extent_bytes")
    found = [whole(number(said.get(name, ""))) for name in names]
    sound = [value for value in found if value is not None]
    return _Head(*sound) if len(sound) == len(names) and sound[0] and sound[1] else None


def _figures(
    head: _Head, heading: Line, lines: Sequence[Line], notes: Notes
) -> Iterator[PointSummary]:
    columns = heading.text.split()
    size = next((name for name in _SIZES if name in columns), "")
    others = set(columns) - {"test", size}
    if not size or not (others <= _RAW or others <= _SUMMARY | {"total_nrep", "valid_nrep"}):
        notes.lost(heading.number, f"this is no heading of ReproMPI: {shortened(heading.text)}")
        remark_on_rows(lines, notes, "its heading is damaged above")
        return
    extent = head.extent if size == "count" else 1
    rows: dict[_Test, list[dict[str, float]]] = defaultdict(list)
    at = {name: index for index, name in enumerate(columns)}
    for row in table_rows(lines, len(columns), notes, None, [at["test"]]):
        call, count = row.words[at["test"]], whole(number(row.words[at[size]]))
        if count is None or not _CALL.fullmatch(call):
            notes.no_row(row.line)
        else:
            values = {name: float(row.words[i]) for name, i in at.items() if name != "test"}
            rows[_Test(call, count)].append(values)
    for test, own in rows.items():
        subject = _subject(test, head)
        bytes_of = None if subject.benchmark == "mpi/barrier" else test.size * extent
        if others <= _RAW:
            times = _repetitions(own, head)
            if times is None:
                notes.lost(
                    heading.number, f"{test.call} at {test.size} lacks repetitions: left out"
                )
                continue
            yield _of_times(subject, times, head, bytes_of)
        else:
            yield from _of_summary(subject, own, head, bytes_of)


def _subject(test: _Test, head: _Head) -> Subject:
    name = test.call.removeprefix("MPI_").lower()
    known = collective(name, head.processes)
    subject = known or Subject(f"reprompi/{name}", COMPLETION)
    axes = dict(subject.axes)
    if "root" in axes:
        axes["root"] = head.root
    if name == "barrier":
        axes["count"] = test.size
    return subject._replace(axes=axes)


def _repetitions(rows: Sequence[Mapping[str, float]], head: _Head) -> list[float] | None:
    """Return the seconds of each valid repetition, in order; None where the table lacks any."""
    longest: dict[float, float] = {}
    ranks: dict[float, set[float]] = defaultdict(set)
    for row in rows:
        repetition = row["nrep"]
        rank = row.get("process", 0.0)
        if rank in ranks[repetition]:
            return None
        ranks[repetition].add(rank)
        spent = (
            row["runtime_sec"]
            if "runtime_sec" in row
            else row["loc_tend_sec"] - row["loc_tstart_sec"]
        )
        if not row.get("errorcode"):
            longest[repetition] = max(spent, longest.get(repetition, spent))
    expected = head.processes if "process" in rows[0] else 1
    complete = set(ranks) == set(range(head.repetitions))
    if not complete or any(len(one) != expected for one in ranks.values()) or not longest:
        return None
    return [longest[one] for one in sorted(longest)] if min(longest.values()) >= 0 else None


def _of_times(
    subject: Subject, times: Sequence[float], head: _Head, size: int | None
) -> PointSummary:
    import numpy as np

    values = np.array(times)
    ordered = np.sort(values)
    estimate = launches.estimate([values])
    return figure(
        subject,
        estimate.median,
        place=Place(head.processes),
        mpi="reprompi",
        size=size,
        statistic="median",
        interval=estimate.interval,
        method=estimate.method,
        mean=float(values.mean()),
        repetitions=(
            nearest_rank(ordered, 0.90),
            nearest_rank(ordered, 0.99),
            float(ordered[-1]),
            float(ordered[0]),
        ),
        metrics={"repetitions": float(len(times))},
    )


def _of_summary(
    subject: Subject, rows: Sequence[Mapping[str, float]], head: _Head, size: int | None
) -> Iterator[PointSummary]:
    for row in rows:
        mean, middle = row.get("mean_sec"), row.get("median_sec")
        low, high = row.get("min_sec"), row.get("max_sec")
        seconds = middle if middle is not None else mean
        if seconds is None or seconds < 0 or not row["valid_nrep"]:
            continue
        yield figure(
            subject,
            seconds,
            place=Place(head.processes),
            mpi="reprompi",
            size=size,
            statistic="mean" if middle is None else "median",
            mean=mean,
            repetitions=(None, None, high, low),
            metrics={"repetitions": row["valid_nrep"]},
        )


READER = Reader(
    name="reprompi",
    title="ReproMPI",
    recognises=contains("^#@(reproMPIcommitSHA1|nprocs|nrep)="),
    read=read,
)
