"""The tables in an output of the Intel MPI Benchmarks, whatever they are of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from leadline.exchange.imports.text import Line, Notes, Row, remark_on_rows, shortened, table_rows

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

_NAMES = frozenset(
    re.findall(
        r"\w+",
        """
    PingPong PingPing PingPongSpecificSource PingPongAnySource PingPingSpecificSource
    PingPingAnySource Sendrecv Exchange Allreduce Reduce Reduce_local Reduce_scatter
    Reduce_scatter_block Allgather Allgatherv Gather Gatherv Scatter Scatterv Alltoall Alltoallv
    Bcast Barrier Uniband Biband Unirandom Birandom Corandom Stencil2D Stencil3D
    SendRecv_Replace Ibcast Iallgather Iallgatherv Igather Igatherv Iscatter Iscatterv Ialltoall
    Ialltoallv Ireduce Ireduce_scatter Iallreduce Ibarrier Unidir_put Unidir_get Bidir_put
    Bidir_get One_put_all One_get_all All_put_all All_get_all Put_local Put_all_local
    Exchange_put Exchange_get Accumulate Get_accumulate Fetch_and_op Compare_and_swap
    Truly_passive_put Window Unidir_Put Unidir_Get Bidir_Put Bidir_Get
    """,
    )
)

_NO_TABLE = "this row is of no table"

_VERSION = re.compile(
    r"#\s+(?:Intel ?\(R\)|PALLAS) MPI Benchmark(?:s| Suite) V?(\d[^,]*), (\S+) part"
)
_DATE = re.compile(r"# Date\s+: (\w{3} \w{3} +\d+ [\d:]{8} \d{4})")
_START = re.compile(r"# Benchmarking (Multi-)?(\w+)(?: \((\d+(?: x \d+)+)\))?")
_PROCESSES = re.compile(r"# #processes = (\d{1,9})(; rank order \(rowwise\):)?")
_GROUPS = re.compile(r"# \( (\d{1,9}) groups of (\d{1,9}) processes each running simultaneous \)")
_MODE = re.compile(r"#\s+MODE: (AGGREGATE|NON-AGGREGATE)")
_IDLE = re.compile(r"# \( \d+ additional process(es)? waiting in MPI_Barrier\)")
_OTHER = re.compile(r"#[-\s]*|# Group +\d+:[\d\s]+|#?[\d\s]+")


class Run(NamedTuple):
    """What the head of the file says of the whole of it."""

    version: str = ""
    part: str = ""
    when: str = ""
    cold: bool = False
    root_shifts: bool = False


class Block(NamedTuple):
    """One table: `processes` of all `groups` together; a row has a word for each column."""

    name: str
    processes: int
    groups: int
    grid: str
    mode: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


def blocks(lines: Sequence[Line], notes: Notes) -> tuple[Run, list[Block]]:
    """Return what the head says, and the tables that are headed as IMB heads them."""
    starts = [i for i, line in enumerate(lines) if line.text.startswith("# Benchmarking")]
    head = lines[: starts[0]] if starts else lines
    run, listed = _head(head)
    remark_on_rows(head, notes, _NO_TABLE)
    ends = [*starts[1:], len(lines)]
    found = (_block(lines[a:b], run, listed, notes) for a, b in zip(starts, ends, strict=False))
    return run, [block for block in found if block]


def _head(lines: Sequence[Line]) -> tuple[Run, set[str]]:
    run, listed = Run(), set[str]()
    for index, line in enumerate(lines):
        if match := _VERSION.match(line.text):
            part = match[2].removeprefix("IMB-").removeprefix("MPI-")
            run = run._replace(version=match[1].strip(), part="MPI-1" if part == "1" else part)
            run = run._replace(root_shifts=match[1][:1] != "2" or match[1][:4] < "2018")
        elif match := _DATE.match(line.text):
            run = run._replace(when=_date(match[1]))
        elif re.match(r"# \S*IMB-\w+ ", line.text):
            run = run._replace(cold="-off_cache" in line.text)
            if shift := re.search(r"-root_shift (\w+)", line.text):
                run = run._replace(root_shifts=shift[1] in ("1", "on", "yes", "enable"))
        elif line.text.startswith("# List of Benchmarks to run"):
            words = (each.text.removeprefix("#").split() for each in lines[index + 1 :])
            listed = {one[0] for one in words if len(one) == 1 and one[0].isidentifier()}
    return run, listed


def _date(text: str) -> str:
    try:
        return datetime.strptime(text, "%a %b %d %H:%M:%S %Y").isoformat()
    except ValueError:
        return ""


def _block(lines: Sequence[Line], run: Run, listed: set[str], notes: Notes) -> Block | None:
    """Return the table that begins with the first of `lines`; none where its heading is damaged."""
    first = lines[0]
    headed = next((i for i, line in enumerate(lines) if _is_heading(line.text)), None)
    start = _START.fullmatch(first.text)
    block = _title(lines[1:headed], start, notes) if start and headed is not None else None
    # What IMB-EXT calls Accumulate is another operation than that of IMB-RMA.
    doubtful = start and start[2] == "Accumulate" and run.part != "RMA"
    if not start or doubtful or start[2] not in _NAMES | listed:
        notes.lost(first.number, f"this is no benchmark of IMB: {shortened(first.text)}")
    elif headed is None:
        remark_on_rows(lines, notes, f"{start[2]} has no heading above")
    elif block:
        columns = tuple(lines[headed].text.split())
        if _knows_columns(columns, block.groups):
            size = columns.index("#bytes") if "#bytes" in columns and block.groups == 1 else None
            rows = tuple(table_rows(lines[headed + 1 :], len(columns), notes, size))
            return block._replace(columns=columns, rows=rows)
        notes.lost(
            lines[headed].number,
            f"{start[2]} has columns that IMB does not print: {shortened(lines[headed].text)}",
        )
    return None


def _is_heading(text: str) -> bool:
    return text.strip().startswith(("#bytes", "#repetitions", "Group "))


def _knows_columns(columns: tuple[str, ...], groups: int) -> bool:
    names = set(columns)
    shaped = any(needed <= names for needed in _WHOLE)
    alone = groups == 1 or "Group" in names or "t_max[usec]" in names
    return names <= _COLUMNS and len(names) == len(columns) and shaped and alone


def _title(lines: Sequence[Line], start: re.Match[str], notes: Notes) -> Block | None:
    """Return the block that the lines between its name and its heading describe."""
    block = Block(start[2], 0, 1, (start[3] or "").replace(" ", ""), "", (), ())
    for line in lines:
        if match := _PROCESSES.fullmatch(line.text):
            block = block._replace(processes=int(match[1]))
        elif match := _GROUPS.fullmatch(line.text):
            groups = int(match[1])
            block = block._replace(groups=groups, processes=groups * int(match[2]))
        elif match := _MODE.fullmatch(line.text):
            block = block._replace(mode=match[1].lower().replace("-", "_"))
        elif not (_IDLE.fullmatch(line.text) or _OTHER.fullmatch(line.text)):
            notes.lost(line.number, f"{start[2]} is headed by {shortened(line.text)}: left out")
            return None
    both = any(_PROCESSES.fullmatch(one.text) for one in lines) and block.groups > 1
    if both or block.processes < 1 or bool(start[1]) != (block.groups > 1):
        where = lines[0].number if lines else 0
        notes.lost(where, f"{start[2]} does not say on how many processes it ran: left out")
        return None
    return block
