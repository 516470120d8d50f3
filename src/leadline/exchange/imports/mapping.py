"""What the columns of a table mean: a TOML file beside it, of a small closed vocabulary."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from leadline.core.errors import UserError
from leadline.core.schema import explain


class Cell(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A column, whose cells `values` translates; one that it does not name stays as it is."""

    column: str
    values: dict[str, str] = {}


Text = str | Cell
Whole = int | Cell


class Size(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The column of message sizes: a cell is so many `unit`s of `each` (8 for words of 8 bytes)."""

    column: str
    unit: Literal["B", "kB", "MB", "GB", "KiB", "MiB", "GiB"] = "B"
    each: int = 1


class Axis(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A column of choices. `default` is what the others are compared with."""

    column: str = ""
    values: dict[str, str] = {}
    kind: Literal["choice", "integer", "number"] = "choice"
    default: str = ""
    summary: str = ""


class Metric(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A number beside the times: a column, or one `value` for all rows. `series` limits it."""

    column: str = ""
    value: float | None = None
    unit: Literal["", "percent"] = ""
    series: str = ""


TimeUnit = Literal["s", "ms", "us", "ns", "ticks"]
RateUnit = Literal[
    "B/s", "kB/s", "MB/s", "GB/s", "KiB/s", "MiB/s", "GiB/s",
    "bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Kibit/s", "Mibit/s", "Gibit/s",
]  # fmt: skip
Factor = float | Literal["bytes", "processes", "processes - 1", "log2 processes"]


class Rate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The column of a rate."""

    column: str
    unit: RateUnit


class Measure(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A column of figures, in a unit of time or of a rate.

    `moved` are factors whose product is the bytes that one operation moves: what a rate was made
    of. `clock_hz` is that of ticks. The columns of `low`, `high` (a 95 % interval), `minimum`,
    `maximum`, `mean` and `p99` are in the same unit of time. `rate` is a column that the source
    printed beside the time. What else is named here holds for this column alone.
    """

    column: str
    unit: TimeUnit | RateUnit
    moved: tuple[Factor, ...] | None = None
    clock_hz: float | None = None
    rate: Rate | None = None
    low: str = ""
    high: str = ""
    minimum: str = ""
    maximum: str = ""
    mean: str = ""
    p99: str = ""
    benchmark: Text | None = None
    series: Text | None = None
    mpi: Text | None = None
    axes: dict[str, str] = {}
    statistic: Literal["median", "mean", "minimum", "maximum", "single"] | None = None


class Limit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the hardware can do at most, and who says so."""

    value: float
    unit: TimeUnit | RateUnit
    where: Literal["node", "network"]
    source: str = ""


class TableColumn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A column of a table without times. Rules look for its `role`."""

    column: str
    role: str = ""
    unit: str = ""


class TableOf(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Columns that hold facts rather than times of an operation."""

    name: str
    title: str
    columns: tuple[TableColumn, ...]


class Mapping(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole mapping.

    The placement is `place` (NODESxPROCESSES_PER_NODE), or two of `processes`, `nodes` and
    `processes_per_node`; without any it is one process. `definitions` say for each series from when
    to when its clock runs.
    """

    source: str = ""
    program: str = "published table"
    when: str = ""
    delimiter: str = ","
    benchmark: Text = "published/table"
    summary: str = ""
    series: Text = "time"
    definitions: dict[str, str] = {}
    mpi: Text = ""
    place: Text | None = None
    processes: Whole | None = None
    nodes: Whole | None = None
    processes_per_node: Whole | None = None
    size: Size | None = None
    axes: dict[str, Axis] = {}
    metrics: dict[str, Metric] = {}
    verified: Cell | None = None
    statistic: Literal["median", "mean", "minimum", "maximum", "single"] = "single"
    moved: tuple[Factor, ...] = ("bytes",)
    values: tuple[Measure, ...] = ()
    bounds: tuple[Limit, ...] = ()
    tables: tuple[TableOf, ...] = ()


def read_mapping(path: Path) -> Mapping:
    """Return the mapping in the file. Raises `UserError` that names the file and the key."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not text"
        raise UserError(f"mapping {path} cannot be read ({reason}): name a TOML file") from error
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"mapping {path} is not TOML: {error}") from error
    try:
        mapping = msgspec.convert(data, Mapping)
    except msgspec.ValidationError as error:
        raise UserError(f"mapping {path} is wrong: {explain(error, Mapping)}") from error
    for fault in _faults(mapping):
        raise UserError(f"mapping {path} is wrong: {fault}")
    return mapping


def _faults(mapping: Mapping) -> Iterator[str]:
    given = [mapping.processes, mapping.nodes, mapping.processes_per_node]
    known = sum(one is not None for one in given)
    if known and (mapping.place is not None or known != 2):
        yield ("a placement is `place`, or two of `processes`, `nodes` and `processes_per_node`")
    if not (mapping.values or mapping.tables):
        yield (
            "it takes no column: name figures with [[values]] (column, unit) or facts with "
            "[[tables]] (name, title, columns)"
        )
    if len(mapping.delimiter) != 1:
        yield f"delimiter {mapping.delimiter!r} is not one character"
    for measure in mapping.values:
        if measure.unit == "ticks" and not measure.clock_hz:
            yield f"the ticks of column {measure.column!r} need `clock_hz`"
        if unknown := measure.axes.keys() - mapping.axes.keys():
            axis = min(unknown)
            yield f"column {measure.column!r} names the axis {axis!r}: add [axes.{axis}]"
    for name, metric in mapping.metrics.items():
        if bool(metric.column) == (metric.value is not None):
            yield f"metric {name!r} has a `column` or a `value`, one of them"
