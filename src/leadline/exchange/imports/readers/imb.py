"""Intel MPI Benchmarks: IMB-MPI1, IMB-P2P, IMB-NBC, IMB-RMA, and their ancestors.

What the columns mean: IMB Users Guide, "Benchmark Methodology" and "Output" (Intel, 2021). Each
rank takes the mean over its repetitions; `t_min`, `t_max` and `t_avg` are over the ranks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from leadline.exchange.imports.imb_tables import Block, Run, blocks
from leadline.exchange.imports.operations import EXCHANGE, PINGPONG, collective, one_sided
from leadline.exchange.imports.printed import (
    COMMUNICATION,
    COMPLETION,
    COMPUTATION,
    TOGETHER,
    USUAL,
    Place,
    Subject,
    figure,
    reading,
)
from leadline.exchange.imports.reader import Reader, Reading, Source
from leadline.exchange.imports.text import Notes, number, whole, whole_lines
from leadline.model.plan import Value
from leadline.model.summary import PointSummary

_TITLE = re.compile(r"# .*MPI Benchmark|^# Benchmarking \S+", re.MULTILINE)
_MEAN = "each rank's mean over its repetitions in IMB's loop"
_SLOWEST = f"IMB: {_MEAN}; the slowest rank counts"

_MEANINGS = {
    "one-way": f"IMB: half of a round trip, {_MEAN}",
    "origin": "IMB: MPI_Put, MPI_Get or MPI_Accumulate with MPI_Win_flush on rank 0, the mean over "
    "its repetitions",
    COMPLETION: f"{_SLOWEST} (t_max)",
    "time": f"{_SLOWEST} (t)",
    "per message": "IMB: one second over the messages that it counts in a second, of all pairs "
    "together",
    COMMUNICATION: f"IMB: the non-blocking call and its wait alone (t_pure), {_MEAN}, of the rank "
    "that was slowest with computation",
    COMPUTATION: f"IMB: the computation between call and wait (t_CPU), {_MEAN}, of the same rank",
    TOGETHER: f"IMB: call, computation and wait (t_ovrl), {_MEAN}; the slowest rank counts",
}


class _What(NamedTuple):
    """What a table's figures are of, and where and how they were measured."""

    subject: Subject
    place: Place
    settings: dict[str, Value]


def read(source: Source) -> Reading:
    """Return the figures of IMB's tables. Raises `UserError` where no line of them is sound."""
    notes = Notes(source)
    run, tables = blocks(whole_lines(source, notes), notes)
    summaries, figures = dict[str, str](), list[PointSummary]()
    for table in tables:
        found = list(_figures(run, table, notes))
        summaries |= {one.benchmark: f"{table.name} of IMB" for one in found}
        figures += found
    program = f"IMB {run.version}"
    return reading(source, notes, program, "IMB", figures, _MEANINGS, summaries, when=run.when)


def _figures(run: Run, block: Block, notes: Notes) -> Iterator[PointSummary]:
    for line, cells in block.rows:
        values = {name: number(word) for name, word in zip(block.columns, cells, strict=True)}
        sound = {name: value for name, value in values.items() if value is not None}
        what = _what(run, block, sound)
        size = whole(sound["#bytes"]) if "#bytes" in sound else None
        if len(sound) < len(values) or not _possible(block, sound):
            notes.no_row(line)
            continue
        yield from _row(block, what, size, sound)


def _row(
    block: Block, what: _What, size: int | None, row: dict[str, float]
) -> Iterator[PointSummary]:
    def made(series: str, column: str, metrics: dict[str, float] | None = None) -> PointSummary:
        return figure(
            what.subject.of(series),
            row[column] / 1e6,
            place=what.place,
            mpi="imb",
            size=size,
            settings=what.settings,
            verified=not row.get("defects"),
            metrics=metrics,
            rate=row.get("Msg/sec"),
        )

    if "t_ovrl[usec]" in row:
        overlap = {"overlap_fraction": row["overlap[%]"] / 100} if "overlap[%]" in row else None
        yield made(COMMUNICATION, "t_pure[usec]")
        if "t_CPU[usec]" in row:
            yield made(COMPUTATION, "t_CPU[usec]")
        yield made(TOGETHER, "t_ovrl[usec]", overlap)
    elif "t_max[usec]" in row:
        over_ranks = {
            "min_over_ranks_s": row["t_min[usec]"] / 1e6,
            "mean_over_ranks_s": row["t_avg[usec]"] / 1e6,
        }
        yield made(what.subject.series, "t_max[usec]", over_ranks)
    elif "t[usec]" in row:
        yield made(what.subject.series, "t[usec]")
    elif row["Msg/sec"] > 0:
        yield figure(
            what.subject.of("per message"),
            1 / row["Msg/sec"],
            place=what.place,
            mpi="imb",
            size=size,
            settings=what.settings,
            rate=row["Msg/sec"],
        )


def _possible(block: Block, row: dict[str, float]) -> bool:
    """Whether numbers are what they can be, and minimum, average and maximum are in order."""
    counts = [row[name] for name in ("#bytes", "#repetitions", "Group") if name in row]
    if any(whole(value) is None for value in counts) or any(value < 0 for value in row.values()):
        return False
    if row.get("Group", 0) >= block.groups:
        return False
    if "t_max[usec]" not in row:
        return True
    rounding = 0.011
    low, middle, high = row["t_min[usec]"], row["t_avg[usec]"], row["t_max[usec]"]
    return low - rounding <= middle <= high + rounding


def _what(run: Run, block: Block, row: dict[str, float]) -> _What:
    axes: dict[str, Value] = {}
    if block.groups > 1:
        axes["groups"] = block.groups
        axes["group"] = int(row["Group"]) if "Group" in row else "slowest"
    if block.grid:
        axes["grid"] = block.grid
    if block.mode:
        axes["mode"] = block.mode
    # IMB-P2P repeats names of IMB-MPI1, with a message rate beside the time.
    own = "p2p_" if {"t[usec]", "Msg/sec"} <= set(block.columns) else ""
    known = None if own or block.groups > 1 else _find_subject(run, block)
    name = f"imb/{own}{'multi_' if block.groups > 1 else ''}{block.name.lower()}"
    series = COMPLETION if "t_max[usec]" in block.columns else "time"
    moved = _MOVED.get(block.name, 1.0) if "Mbytes/sec" in block.columns else None
    settings: dict[str, Value] = {**USUAL, "cache": "cold" if run.cold else "warm"}
    return _What(known or Subject(name, series, axes, moved), Place(block.processes), settings)


_MOVED = {"Sendrecv": 2.0, "Exchange": 4.0}
_RMA = {"Unidir_put": "put", "Unidir_get": "get", "Accumulate": "accumulate"}


def _find_subject(run: Run, block: Block) -> Subject | None:
    """Return what leadline has for the table, if IMB means the same by it."""
    if block.mode == "non_aggregate" and block.name in _RMA:
        name = _RMA[block.name]
        return Subject(f"rma/{name}", "origin", one_sided(name, "flush", "create"), 1)
    if block.mode or block.name in ("PingPong", "Exchange"):
        return {"PingPong": PINGPONG, "Exchange": EXCHANGE}.get(block.name)
    subject = collective(block.name.lower(), block.processes)
    if subject and "root" in subject.axes and run.root_shifts:
        return subject._replace(axes={**subject.axes, "root": "shifting"})
    return subject


READER = Reader(
    name="imb",
    title="Intel MPI Benchmarks",
    recognises=lambda source: bool(_TITLE.search(source.text)),
    read=read,
)
