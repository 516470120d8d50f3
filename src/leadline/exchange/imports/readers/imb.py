"""Intel MPI Benchmarks: IMB-MPI1, IMB-P2P, IMB-NBC, IMB-RMA, and their ancestors.

What the columns mean: IMB Users Guide, "Benchmark Methodology" and "Output" (Intel, 2021). Each
rank takes the mean over its repetitions; `t_min`, `t_max` and `t_avg` are over the ranks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from leadline.exchange.imports.printed import (
    COMMUNICATION,
    COMPLETION,
    COMPUTATION,
    EXCHANGE,
    PINGPONG,
    TOGETHER,
    USUAL,
    Place,
    Subject,
    collective,
    figure,
    one_sided,
    reader,
)
from leadline.exchange.imports.reader import Origin
from leadline.exchange.imports.text import (
    Line,
    Notes,
    Row,
    date_of,
    numbers,
    position,
    remark_on_rows,
    shortened,
    split_at,
    table_rows,
    whole,
)
from leadline.model.plan import Value
from leadline.model.summary import PointSummary

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
_COLUMNS = {
    *("Group", "#bytes", "#repetitions", "t[usec]", "Mbytes/sec", "Msg/sec", "defects"),
    *("t_min[usec]", "t_max[usec]", "t_avg[usec]"),
    *("t_ovrl[usec]", "t_pure[usec]", "t_CPU[usec]", "overlap[%]"),
}
_WHOLE = (
    {"#repetitions", "t_min[usec]", "t_max[usec]", "t_avg[usec]"},
    {"#repetitions", "t[usec]"},
    {"#repetitions", "Mbytes/sec", "Msg/sec"},
    {"#repetitions", "t_ovrl[usec]", "t_pure[usec]"},
)

# Times have two digits behind the point, in microseconds.
_ROUNDING_S = 5e-9
_HEADINGS = ("#bytes", "#repetitions", "Group ")
_NAMES = frozenset(
    re.findall(
        r"\w+",
        """
    PingPong PingPing PingPongSpecificSource PingPongAnySource PingPingSpecificSource
    PingPingAnySource Sendrecv Exchange Allreduce Reduce Reduce_local Reduce_scatter
    Reduce_scatter_block Allgather Allgatherv Gather Gatherv Scatter Scatterv Alltoall
    Alltoallv Bcast Barrier Uniband Biband Unirandom Birandom Corandom Stencil2D Stencil3D
    SendRecv_Replace Ibcast Iallgather Iallgatherv Igather Igatherv Iscatter Iscatterv
    Ialltoall Ialltoallv Ireduce Ireduce_scatter Iallreduce Ibarrier Unidir_put Unidir_get
    Bidir_put Bidir_get One_put_all One_get_all All_put_all All_get_all Put_local
    Put_all_local Exchange_put Exchange_get Accumulate Get_accumulate Fetch_and_op
    Compare_and_swap Truly_passive_put Window Unidir_Put Unidir_Get Bidir_Put Bidir_Get
    """,
    )
)

_VERSION = re.compile(
    r"#\s+(?:Intel ?\(R\)|PALLAS) MPI Benchmark(?:s| Suite) V?(\d[^,]*), (\S+) part"
)
_MACHINE = re.compile(r"# (?:Machine|Release|System)\s*: *(\S.*)")
_DATE = re.compile(r"# Date\s+: (\w{3} \w{3} +\d+ [\d:]{8} \d{4})")
_START = re.compile(r"# Benchmarking (Multi-)?(\w+)(?: \((\d+(?: x \d+)+)\))?")
_PROCESSES = re.compile(r"# #processes = (\d{1,9})(; rank order \(rowwise\):)?")
_GROUPS = re.compile(r"# \( (\d{1,9}) groups of (\d{1,9}) processes each running simultaneous \)")
_MODE = re.compile(r"#\s+MODE: (AGGREGATE|NON-AGGREGATE)")
_IDLE = re.compile(r"# \( \d+ additional process(es)? waiting in MPI_Barrier\)")
# IMB's CHECK build, `error.c`: data that came wrong, of any rank, before the row or in it.
_ERROR = re.compile(r"is over the tolerance|^ ?\d*:? ?Error\b|Buffers differ|error_code", re.I)
_OTHER = re.compile(r"#[-\s]*|# Group +\d+:[\d\s]+|#?[\d\s]+")


class _Head(NamedTuple):
    """What the head of the file says of the whole of it."""

    version: str = ""
    part: str = ""
    when: str = ""
    cold: bool = False
    root_shifts: bool = False
    command: str = ""
    machine: str = ""


class _Block(NamedTuple):
    """One table: `processes` of all `groups` together; a row has a word for each column.

    IMB said of data in it that they were `wrong`, without saying in which row.
    """

    name: str
    processes: int
    groups: int
    grid: str
    mode: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    wrong: bool = False


def _figures(lines: Sequence[Line], notes: Notes) -> Iterator[PointSummary]:
    starts = [i for i, line in enumerate(lines) if line.text.startswith("# Benchmarking")]
    heads = [i for i, line in enumerate(lines) if _VERSION.match(line.text)]
    run, listed, end = _Head(), set[str](), 0
    for start, part in zip(starts, split_at(starts, lines, notes), strict=True):
        if (begin := max((i for i in heads if i < start), default=0)) >= end:
            run, listed = _head(lines[begin:start])
            notes.program = f"IMB {run.version}"
            notes.when = notes.when or run.when
            # The program's name stands under a line.
            command = " ".join(filter(None, (notes.above(lines, max(begin - 1, 0)), run.command)))
            software = f"{run.version} {run.machine}".strip()
            notes.origin = Origin(lines[begin].number, command, software, _ROUNDING_S)
            end = start
        notes.origin = notes.origin._replace(line=part[0].number)
        if block := _block(part, run, listed, notes):
            yield from notes.titled(_of_block(run, block, notes), f"{block.name} of IMB")


def _head(lines: Sequence[Line]) -> tuple[_Head, set[str]]:
    run, listed = _Head(), set[str]()
    for index, line in enumerate(lines):
        if match := _VERSION.match(line.text):
            part = match[2].removeprefix("IMB-").removeprefix("MPI-")
            run = run._replace(version=match[1].strip(), part="MPI-1" if part == "1" else part)
            run = run._replace(root_shifts=match[1][:1] != "2" or match[1][:4] < "2018")
        elif match := _MACHINE.match(line.text):
            run = run._replace(machine=f"{run.machine} {match[1]}".strip())
        elif match := _DATE.match(line.text):
            run = run._replace(when=date_of(match[1]))
        elif re.match(r"# \S*IMB-\w+( |$)", line.text):
            run = run._replace(cold="-off_cache" in line.text, command=line.text[2:])
            if shift := re.search(r"-root_shift (\w+)", line.text):
                run = run._replace(root_shifts=shift[1] in ("1", "on", "yes", "enable"))
        elif line.text.startswith("# List of Benchmarks to run"):
            words = (each.text.removeprefix("#").split() for each in lines[index + 1 :])
            listed = {one[0] for one in words if len(one) == 1 and one[0].isidentifier()}
    return run, listed


def _block(lines: Sequence[Line], run: _Head, listed: set[str], notes: Notes) -> _Block | None:
    first = lines[0]
    headed = position(lines, lambda text: text.strip().startswith(_HEADINGS))
    start = _START.fullmatch(first.text)
    block = _title(lines, headed, start, notes) if start and headed is not None else None
    # What IMB-EXT calls Accumulate is another operation than that of IMB-RMA.
    doubtful = start and start[2] == "Accumulate" and run.part not in ("RMA", "EXT")
    if not start or doubtful or start[2] not in _NAMES | listed:
        said = f"this is no benchmark of IMB: {shortened(first.text)}"
        notes.left_out(first.number, said, lines)
    elif headed is None:
        remark_on_rows(lines, notes, f"{start[2]} has no heading above")
    elif block:
        columns = tuple(lines[headed].text.split())
        if _knows_columns(columns, block.groups):
            size = columns.index("#bytes") if "#bytes" in columns and block.groups == 1 else None
            body = [one for one in lines[headed + 1 :] if not _ERROR.search(one.text)]
            wrong = block.wrong or len(body) < len(lines) - headed - 1
            rows = tuple(table_rows(body, len(columns), notes, size))
            return block._replace(columns=columns, rows=rows, wrong=wrong)
        said = f"{start[2]} has columns that IMB does not print: {shortened(lines[headed].text)}"
        notes.left_out(lines[headed].number, said, lines)
    return None


def _knows_columns(columns: tuple[str, ...], groups: int) -> bool:
    names = set(columns)
    shaped = any(needed <= names for needed in _WHOLE)
    alone = groups == 1 or "Group" in names or "t_max[usec]" in names
    return names <= _COLUMNS and len(names) == len(columns) and shaped and alone


def _title(lines: Sequence[Line], headed: int, start: re.Match[str], notes: Notes) -> _Block | None:
    block = _Block(start[2], 0, 1, (start[3] or "").replace(" ", ""), "", (), ())
    for line in lines[1:headed]:
        if match := _PROCESSES.fullmatch(line.text):
            block = block._replace(processes=int(match[1]))
        elif match := _GROUPS.fullmatch(line.text):
            groups = int(match[1])
            block = block._replace(groups=groups, processes=groups * int(match[2]))
        elif match := _MODE.fullmatch(line.text):
            block = block._replace(mode=match[1].lower().replace("-", "_"))
        elif _ERROR.search(line.text):
            block = block._replace(wrong=True)
        elif not (_IDLE.fullmatch(line.text) or _OTHER.fullmatch(line.text)):
            notes.left_out(line.number, f"{start[2]} is headed by {shortened(line.text)}", lines)
            return None
    both = any(_PROCESSES.fullmatch(one.text) for one in lines[1:headed]) and block.groups > 1
    if both or block.processes < 1 or bool(start[1]) != (block.groups > 1):
        said = f"{start[2]} does not say on how many processes it ran"
        notes.left_out(lines[0].number, said, lines)
        return None
    return block


def _of_block(run: _Head, block: _Block, notes: Notes) -> Iterator[PointSummary]:
    for line, words in block.rows:
        values = numbers(words)
        row = dict(zip(block.columns, values or (), strict=False))
        if values is None or not _possible(block, row):
            notes.no_row(line)
        else:
            yield from notes.timed(_of_row(run, block, row), line)


def _of_row(run: _Head, block: _Block, row: dict[str, float]) -> Iterator[PointSummary]:
    subject = _subject(run, block, row)
    us = {name.removesuffix("[usec]"): value / 1e6 for name, value in row.items()}
    more: dict[str, dict[str, float]] = {}
    if "t_ovrl" in us:
        series = {COMMUNICATION: "t_pure", COMPUTATION: "t_CPU", TOGETHER: "t_ovrl"}
        if "overlap[%]" in row:
            more[TOGETHER] = {"overlap_fraction": row["overlap[%]"] / 100}
    elif "t_max" in us:
        series = {subject.series: "t_max"}
        more[subject.series] = {"min_over_ranks_s": us["t_min"], "mean_over_ranks_s": us["t_avg"]}
    else:
        series = {subject.series: "t"} if "t" in us else {"per message": "per message"}
    if row.get("Msg/sec"):
        us["per message"] = 1 / row["Msg/sec"]
    for name, column in series.items():
        if column in us:
            yield figure(
                subject.of(name),
                us[column],
                place=Place(block.processes),
                mpi="imb",
                size=int(row["#bytes"]) if "#bytes" in row else None,
                settings={**USUAL, "cache": "cold" if run.cold else "warm"},
                verified=not (block.wrong or row.get("defects")),
                metrics=more.get(name),
                rate=row.get("Msg/sec"),
            )


def _possible(block: _Block, row: dict[str, float]) -> bool:
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


def _subject(run: _Head, block: _Block, row: dict[str, float]) -> Subject:
    axes: dict[str, Value] = {}
    if block.groups > 1:
        axes["groups"] = block.groups
        axes["group"] = int(row["Group"]) if "Group" in row else "slowest"
    if block.grid:
        axes["grid"] = block.grid
    if block.mode:
        axes["mode"] = block.mode
    # IMB-P2P repeats names of IMB-MPI1, with a message rate beside the time.
    prefix = "p2p_" if {"t[usec]", "Msg/sec"} <= set(block.columns) else ""
    if block.name == "Accumulate" and run.part == "EXT":
        prefix = "ext_"
    known = None if prefix or block.groups > 1 else _find_subject(run, block)
    name = f"imb/{prefix}{'multi_' if block.groups > 1 else ''}{block.name.lower()}"
    series = COMPLETION if "t_max[usec]" in block.columns else "time"
    moved = _MOVED.get(block.name, 1.0) if "Mbytes/sec" in block.columns else None
    return known or Subject(name, series, axes, moved)


_MOVED = {"Sendrecv": 2.0, "Exchange": 4.0}
_RMA = {"Unidir_put": "put", "Unidir_get": "get", "Accumulate": "accumulate"}


def _find_subject(run: _Head, block: _Block) -> Subject | None:
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


READER = reader(
    "imb",
    "Intel MPI Benchmarks",
    re.compile(r"# .*MPI Benchmark|^# Benchmarking \S+", re.MULTILINE).search,
    _figures,
    _MEANINGS,
    program="IMB",
)
