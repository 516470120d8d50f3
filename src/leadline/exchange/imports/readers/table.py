"""Any table of comma-separated values, with a mapping that says what its columns mean."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from collections.abc import Mapping as Named
from pathlib import Path

import msgspec

from leadline.core.errors import UserError
from leadline.core.shipped import source_folder
from leadline.exchange.imports.mapping import Mapping, TableOf, read_mapping
from leadline.exchange.imports.reader import Reader, Reading, Source
from leadline.exchange.imports.results import BadCell, Cells, describe, limit_of
from leadline.model.imported import Column, Remark, Table
from leadline.model.summary import PointSummary

Row = Named[str, str]


def recognises(source: Source) -> bool:
    """Tell whether there is a mapping: named, beside the table, or shipped with it."""
    return _mapping_of(source) is not None


def read(source: Source) -> Reading:
    """Return the figures and tables; each row that cannot be used is remarked with its line."""
    path = _mapping_of(source)
    if path is None:
        raise UserError(
            f"{source.path} needs a mapping that says what its columns mean: write "
            f"{source.path.with_suffix('.toml').name} beside it, or name one with --mapping"
        )
    mapping = read_mapping(path)
    figures: list[PointSummary] = []
    remarks: list[Remark] = []
    rows: list[Row] = []
    for line, row in _rows(source, mapping, path, remarks):
        rows.append(row)
        for measure in mapping.values:
            try:
                if figure := Cells(mapping, row).figure(measure):
                    figures.append(figure)
            except BadCell as error:
                remarks.append(Remark(file=str(source.path), line=line, text=str(error)))
    return Reading(
        program=mapping.program,
        figures=tuple(figures),
        benchmarks=describe(mapping, figures),
        tables=tuple(_table(table, rows) for table in mapping.tables),
        remarks=tuple(dict.fromkeys(remarks)),
        bounds=tuple(limit_of(limit) for limit in mapping.bounds),
        source=mapping.source,
        when=mapping.when,
    )


def _mapping_of(source: Source) -> Path | None:
    """Return the mapping: the one named, that beside the table, or that shipped with it."""
    if source.mapping is not None:
        return source.mapping
    beside = source.path.with_suffix(".toml")
    if beside == source.path or beside.is_file():
        return beside if beside != source.path else None
    shipped = source_folder() / "datasets" / beside.name
    return shipped if shipped.is_file() and _same_heading(source, shipped) else None


def _same_heading(source: Source, mapping: Path) -> bool:
    heading = source.text.partition("\n")[0].strip()
    try:
        with mapping.with_suffix(".csv").open(encoding="utf-8") as table:
            return bool(heading) and heading == table.readline().strip()
    except OSError:
        return False


def _rows(
    source: Source, mapping: Mapping, path: Path, remarks: list[Remark]
) -> Iterator[tuple[int, Row]]:
    reader = csv.reader(source.text.splitlines(), delimiter=mapping.delimiter)
    header: list[str] = []
    try:
        for cells in reader:
            if not cells or cells[0].lstrip().startswith("#"):
                continue
            if not header:
                header = [cell.strip() for cell in cells]
                _check_columns(header, mapping, source, path)
            elif len(cells) != len(header):
                text = f"{len(cells)} cells where the heading has {len(header)}: left out"
                remarks.append(Remark(file=str(source.path), line=reader.line_num, text=text))
            else:
                yield (
                    reader.line_num,
                    {name: cell.strip() for name, cell in zip(header, cells, strict=True)},
                )
    except csv.Error as error:
        text = f"{error}: nothing is read from here on"
        remarks.append(Remark(file=str(source.path), line=reader.line_num, text=text))
    if not header:
        raise UserError(f"{source.path} is empty: a table has a line of headings, then rows")


def _check_columns(header: Sequence[str], mapping: Mapping, source: Source, path: Path) -> None:
    for name in _columns(msgspec.to_builtins(mapping)):
        if name not in header:
            raise UserError(
                f"mapping {path} is wrong: {source.path} has no column {name!r}, it has "
                f"{', '.join(header)}"
            )


def _columns(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name in _NAMING and isinstance(inner, str):
                yield from [inner] * bool(inner)
            else:
                yield from _columns(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _columns(inner)


_NAMING = ("column", "low", "high", "minimum", "maximum", "mean", "p99")


def _table(table: TableOf, rows: Sequence[Row]) -> Table:
    return Table(
        name=table.name,
        title=table.title,
        columns=tuple(
            Column(name=one.column, role=one.role, unit=one.unit) for one in table.columns
        ),
        rows=tuple(tuple(_cell(row[one.column]) for one in table.columns) for row in rows),
    )


def _cell(text: str) -> str | float | None:
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        return text
    return value if math.isfinite(value) else text


READER = Reader(name="csv", title="CSV with a mapping", recognises=recognises, read=read)
