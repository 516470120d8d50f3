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
    reader,
)
from leadline.exchange.imports.text import (
    Line,
    Notes,
    number,
    position,
    remark_on_rows,
    shortened,
    table_rows,
    whole,
)
from leadline.model.summary import PointSummary

_SETTING = re.compile(r"#@(\w+)=(\S*)")
_CALL = re.compile(r"MPI_([A-Z][a-z_]+)")
_SIZES = ("count", "msize_bytes")
_SUMMARY = {"mean_sec", "median_sec", "min_sec", "max_sec", "var_sec", "stddev_sec"}
_RAW = {"process", "nrep", "errorcode", "runtime_sec"} | {
    f"{clock}_{end}_sec" for clock in ("loc", "gl") for end in ("tstart", "tend")
}


class _Head(NamedTuple):
    """What the lines above the table say: processes, repetitions, root, and bytes of an element."""

    processes: int
    repetitions: int
    root: int
    extent: int


def _figures(lines: Sequence[Line], notes: Notes) -> Iterator[PointSummary]:
    heading = position(lines, lambda text: "test" in text.split()[:2])
    head = _head(lines[:heading]) if heading is not None else None
    if heading is None or head is None:
        remark_on_rows(lines, notes, "there is no heading above")
        return
    at, line = lines[heading].text.split(), lines[heading].number
    size = next((name for name in _SIZES if name in at), "")
    others = set(at) - {"test", size}
    if not size or not (others <= _RAW or others <= _SUMMARY | {"total_nrep", "valid_nrep"}):
        text = shortened(lines[heading].text)
        notes.lost(line, f"this is no heading of ReproMPI: {text}")
        remark_on_rows(lines[heading + 1 :], notes, "its heading is damaged above")
        return
    tests: dict[tuple[str, int], list[dict[str, float]]] = defaultdict(list)
    at_line: dict[tuple[str, int], Line] = {}
    for row in table_rows(
        lines[heading + 1 :], len(at), notes, None, [at.index("test")], named=True
    ):
        words = dict(zip(at, row.words, strict=True))
        call, count = words.pop("test"), whole(number(words[size]))
        if count is None or not _CALL.fullmatch(call):
            notes.no_row(row.line)
        else:
            at_line.setdefault((call, count), row.line)
            tests[call, count].append({name: float(word) for name, word in words.items()})
    for (call, count), rows in tests.items():
        subject = _subject(call, count, head)
        extent = head.extent if size == "count" else 1
        moved = None if subject.benchmark == "mpi/barrier" else count * extent
        if not others <= _RAW:
            found = list(_of_summary(subject, rows, head, moved))
            if not found:
                notes.lost(
                    at_line[call, count].number, f"{call} at {count} has no valid repetition"
                )
            yield from notes.timed(found, at_line[call, count])
        elif times := _repetitions(rows, head):
            yield _of_times(subject, times, head, moved)
        else:
            notes.lost(line, f"{call} at {count} lacks repetitions: left out")


def _head(lines: Sequence[Line]) -> _Head | None:
    settings = {m[1]: m[2] for one in lines if (m := _SETTING.fullmatch(one.text))}
    names = ("nprocs", "nrep", "root_proc", "datatype_extent_bytes")
    values = [whole(number(settings.get(name, ""))) for name in names]
    sound = [value for value in values if value is not None]
    return _Head(*sound) if len(sound) == len(names) and sound[0] and sound[1] else None


def _subject(call: str, size: int, head: _Head) -> Subject:
    name = call.removeprefix("MPI_").lower()
    known = collective(name, head.processes)
    subject = known or Subject(f"reprompi/{name}", COMPLETION)
    axes = dict(subject.axes)
    if "root" in axes:
        axes["root"] = head.root
    if name == "barrier":
        axes["count"] = size
    return subject._replace(axes=axes)


def _repetitions(rows: Sequence[Mapping[str, float]], head: _Head) -> list[float] | None:
    """Return the seconds of each valid repetition, in order; None where the table lacks any."""
    longest: dict[float, float] = {}
    ranks: dict[float, set[float]] = defaultdict(set)
    for row in rows:
        repetition, rank = row["nrep"], row.get("process", 0.0)
        if rank in ranks[repetition]:
            return None
        ranks[repetition].add(rank)
        seconds = row.get("runtime_sec")
        if seconds is None:
            seconds = row["loc_tend_sec"] - row["loc_tstart_sec"]
        if not row.get("errorcode"):
            longest[repetition] = max(seconds, longest.get(repetition, seconds))
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


READER = reader(
    "reprompi",
    "ReproMPI",
    re.compile("^#@(reproMPIcommitSHA1|nprocs|nrep)=", re.MULTILINE).search,
    _figures,
    "ReproMPI: a repetition, after a synchronisation, until the slowest rank is done; the median "
    "over the repetitions where the file has it, otherwise what it has",
    program="ReproMPI",
    summary="timed by ReproMPI",
)
