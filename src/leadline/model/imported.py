"""What other programs measured, as a run holds it: figures and tables, never samples."""

from typing import Literal

import msgspec

from leadline.model.recorded import ProgramProfile
from leadline.model.summary import PointSummary


class Remark(msgspec.Struct, frozen=True, kw_only=True):
    """What a reader has to say of a file, and where: its line (from 1; 0 for the whole file).

    `lost` is what could not be read, `assumed` what the file does not say and is taken to be so,
    `passed` a line of another program between the rows of a table.
    """

    file: str
    line: int
    text: str
    kind: Literal["lost", "assumed", "passed"] = "lost"


class Bound(msgspec.Struct, frozen=True, kw_only=True):
    """A physical limit of what is measured, in the unit of `quantity`.

    `where` is `node` for what stays inside a node, `network` for what crosses between nodes.
    `source` says who states it. So many `burst_bytes` pass a virtual link at once, beyond its rate.
    """

    quantity: Literal["bandwidth_MBps", "latency_s"]
    value: float
    where: Literal["node", "network"]
    source: str = ""
    burst_bytes: int = 0


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """A column of a table. `role` names what rules and plots look for, such as `year`."""

    name: str
    role: str = ""
    unit: str = ""


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """Published facts that are no times of an operation. Each row has a cell for each column."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str | float | None, ...], ...]


class Import(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was taken from files of other programs.

    `program` is what wrote them, with its version where it says so, and `source` where the figures
    were published. `when` is the day or time at which they say they were measured, or empty.
    `profile` is a program's time, where the file is the report of a profiler.
    """

    program: str
    files: tuple[str, ...]
    figures: tuple[PointSummary, ...] = ()
    tables: tuple[Table, ...] = ()
    remarks: tuple[Remark, ...] = ()
    bounds: tuple[Bound, ...] = ()
    source: str = ""
    when: str = ""
    profile: ProgramProfile | None = None
