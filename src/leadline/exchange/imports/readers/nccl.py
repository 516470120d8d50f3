"""nccl-tests: NVIDIA's collective tests between GPUs (`all_reduce_perf` and others).

What the columns mean: nccl-tests, doc/PERFORMANCE.md. `algbw` is the size over the time, `busbw`
what the busiest link carries for it; a gigabyte has 10^9 bytes. A rank is a GPU.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from leadline.core.units import count
from leadline.exchange.imports.printed import Place, Subject, figure, reader
from leadline.exchange.imports.reader import Origin
from leadline.exchange.imports.text import (
    Line,
    Notes,
    first_match,
    number,
    position,
    remark_on_rows,
    shortened,
    split_at,
    table_rows,
    whole,
)
from leadline.model.plan import Value
from leadline.model.summary import PointSummary

_START = re.compile(r"# Collective test starting: (?:\S*/)?(\w+)_perf")
_RANK = re.compile(
    r"#\s+Rank +(\d{1,6}) (?:Group +\d+ )?Pid +\d+ on +([\w.-]+) device +\d+ \[[\w:]+\] [\w ().-]+",
    re.ASCII,
)
_DEVICE = re.compile(r"#\s+Rank")
_EACH = re.compile(r"# nThread (\d{1,6}) nGpus (\d{1,6}) [\w ().:]*")
_VERSION = re.compile(r"# nccl-tests version ([\d.]+).*")
COLLECTIVES = (
    "all_reduce", "all_gather", "alltoall", "alltoallv", "broadcast", "gather", "hypercube",
    "reduce", "reduce_scatter", "scatter", "sendrecv",
)  # fmt: skip
_WHAT = ["size", "count", "type", "redop", "root"]
_GROUP = (["algbw", "busbw", "#wrong"], ["algbw", "busbw", "error"])


def _figures(lines: Sequence[Line], notes: Notes) -> Iterator[PointSummary]:
    version = first_match(_VERSION, lines)
    notes.program = f"NCCL tests {version[1] if version else ''}"
    notes.placed = True
    starts = [i for i in range(len(lines)) if _starts(lines, i)]
    parts = split_at(starts, lines, notes, "no collective is named above")
    for start, part in zip(starts, parts, strict=True):
        # Where it ran and how often it repeated tell one output from another.
        told = [one.text for one in part if _EACH.fullmatch(one.text) or _DEVICE.match(one.text)]
        software = " ".join([version[1] if version else "", *map(_without_process, told)]).strip()
        # The version stands above the start, the command above both.
        top = start - 1 if start and _VERSION.fullmatch(lines[start - 1].text) else start
        notes.origin = Origin(lines[start].number, notes.above(lines, top), software, 5e-9)
        if table := _table(part, notes):
            notes.summaries[f"nccl/{table[0]}"] = f"nccl/{table[0]} of nccl-tests"
            yield from _rows(*table, part, notes)


def _starts(lines: Sequence[Line], index: int) -> bool:
    """Whether an output starts here: old versions do not name the collective above all else."""
    unnamed = _EACH.fullmatch(lines[index].text) and not (index and "#" in lines[index - 1].text)
    return bool(unnamed or _START.fullmatch(lines[index].text))


def _table(lines: Sequence[Line], notes: Notes) -> tuple[str, Place] | None:
    """Return what stands above the table: its collective, and the GPUs by host."""
    started = _START.fullmatch(lines[0].text)
    name = started[1] if started else "unnamed"
    if not started:
        notes.assumed("it does not say which collective this is: its figures are nccl/unnamed")
    elif name not in COLLECTIVES:
        said = f"this is no test of nccl-tests: {shortened(lines[0].text)}"
        notes.left_out(lines[0].number, said, lines)
        return None
    devices = position(lines, "# Using devices".__eq__)
    hosts: list[str] = []
    for line in lines[devices + 1 :] if devices is not None else ():
        if line.text == "#":
            break
        rank = _RANK.fullmatch(line.text)
        if not rank or int(rank[1]) != len(hosts):
            hosts = []
            break
        hosts.append(rank[2])
    threads = first_match(_EACH, lines)
    each = int(threads[1]) * int(threads[2]) if threads else 0
    listed = any(_DEVICE.match(line.text) for line in lines)
    if devices is None and not listed and each:
        notes.placed = False
        notes.assumed(
            f"it does not list the devices: taken as one process with {count(each, 'GPU')}"
        )
        return name, Place(each)
    if not hosts or not each or len(hosts) % each:
        said = f"{name} does not list the devices of all ranks"
        notes.left_out(lines[0].number, said, lines)
        return None
    nodes = len(set(hosts))
    even = len(hosts) % nodes == 0
    notes.placed &= even
    return name, Place(len(hosts), nodes if even else 1)


def _rows(
    collective: str, place: Place, lines: Sequence[Line], notes: Notes
) -> Iterator[PointSummary]:
    heading = position(lines, lambda text: text.split()[1:3] == _WHAT[:2])
    columns = lines[heading].text.split()[1:] if heading is not None else []
    times = [i for i, name in enumerate(columns) if name in ("time", "cputime")]
    shaped = len(times) == 2 and all(columns[at + 1 : at + 4] in _GROUP for at in times)
    if heading is None or not shaped or columns[: times[0]] != _WHAT[: times[0]]:
        remark_on_rows(lines, notes, f"{collective} has no heading that can be read above")
        return
    body = [
        _with_operation(one, len(columns))
        for one in lines[heading + 1 :]
        if not one.text.startswith("#   ")
    ]
    for row in table_rows(body, len(columns), notes, 0, [2, 3, *(at + 3 for at in times)]):
        size = whole(number(row.words[0]))
        if size is None or all(number(row.words[at]) is None for at in times):
            notes.no_row(row.line)
            continue
        chosen = dict(zip(columns[2 : times[0]], row.words[2:], strict=False))
        for buffers, at in zip(("separate", "in_place"), times, strict=True):
            time, _, bus = (number(word) for word in row.words[at : at + 3])
            wrong = row.words[at + 3]
            if time is not None:
                verified = wrong in ("N", "N/A") or number(wrong) == 0
                axes = {**chosen, "buffers": buffers}
                found = figure_of(collective, axes, size, time, bus or 0.0, place, verified)
                yield from notes.timed([found], row.line)


def _without_process(text: str) -> str:
    """Return a line of the output's head without what differs between two starts of a command."""
    return " ".join(re.sub(r"Pid +\d+", "", text).lstrip("# ").split())


def _with_operation(line: Line, width: int) -> Line:
    """Return a row with `none` for the operation of a collective that has none."""
    words = line.text.split()
    if len(words) == width - 1 and re.fullmatch(r"-?\d+", words[3]) and not number(words[2]):
        return line._replace(text=" ".join([*words[:3], "none", *words[3:]]))
    return line


def figure_of(
    collective: str,
    axes: Mapping[str, Value],
    size: int,
    microseconds: float,
    bus: float,
    place: Place,
    verified: bool,
) -> PointSummary:
    """Return the figure of a row for one place of its buffers; `bus` is in 10^9 bytes/s."""
    return figure(
        Subject(f"nccl/{collective}", "time", axes, 1),
        microseconds / 1e6,
        place=place,
        mpi="nccl",
        size=size,
        verified=verified,
        metrics={"bus_bandwidth_MBps": bus * 1e3},
    )


MEANING = (
    "nccl-tests: the mean time of a collective on the stream, over back-to-back iterations and "
    "over the ranks; the bandwidth is algbw, the size over the time"
)
READER = reader(
    "nccl",
    "nccl-tests",
    re.compile(
        r"^# (Collective test starting|nccl-tests version|nThread \d+ nGpus)", re.MULTILINE
    ).search,
    _figures,
    MEANING,
    program="nccl-tests",
)
