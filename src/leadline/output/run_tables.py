"""Tables that a terminal and a page show: points without a figure, and published facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from leadline.analysis.findings.words import stretches
from leadline.core.units import format_bytes
from leadline.model.imported import Import
from leadline.model.run import variant
from leadline.model.summary import MissingFigure
from leadline.output.table import Column, Row, Table, number, table_of, without_empty_columns, words

Groups = dict[tuple[str, ...], list[MissingFigure]]
# Of one MPI and one reason.
_MANY_ROWS = 6


def missing_table(missing: Sequence[MissingFigure]) -> Table:
    """Return a row for all points that differ in size alone and lack a figure for one reason.

    Settings that all of them have in common are not named.
    """
    groups: Groups = defaultdict(list)
    names = {name for point in missing for name in point.settings}
    varied = {name for name in names if len({p.settings.get(name) for p in missing}) > 1}
    for point in missing:
        settings = {name: value for name, value in point.settings.items() if name in varied}
        chosen = variant(point.axes, {**settings, **point.knobs}).replace(",", ", ")
        where = f"{point.nodes}x{point.processes_per_node}"
        groups[point.benchmark, chosen, point.mpi, where, point.reason].append(point)
    groups = _folded(groups)
    columns = ("benchmark", words("choices"), "MPI", "place", words("bytes"), number("points"))
    rows = (
        (*key[:-1], ", ".join(_sizes(points)) if key[3] else "", str(len(points)), key[-1])
        for key, points in groups.items()
    )
    table = table_of((*columns, words("reason")), rows, "Points without a figure")
    return without_empty_columns(table)


def _folded(groups: Groups) -> Groups:
    """Fold the rows of an MPI that lack a figure for one reason into one where they are many."""
    alike: dict[tuple[str, str], list[tuple[str, ...]]] = defaultdict(list)
    for key in groups:
        _, _, mpi, _, reason = key
        alike[mpi, reason].append(key)
    found: Groups = {}
    for (mpi, reason), keys in alike.items():
        if len(keys) <= _MANY_ROWS:
            found |= {key: groups[key] for key in keys}
            continue
        benchmarks = dict.fromkeys(key[0] for key in keys)
        what = next(iter(benchmarks)) if len(benchmarks) == 1 else f"{len(benchmarks)} benchmarks"
        found[what, "", mpi, "", reason] = [point for key in keys for point in groups[key]]
    return found


def _sizes(points: Sequence[MissingFigure]) -> list[str]:
    """Return the sizes as texts, doublings as one."""
    sizes = {point.bytes for point in points if point.bytes is not None}
    ladder = sorted(sizes | {2 * size for size in sizes})
    return stretches(ladder, sizes, format_bytes)


def published_tables(imported: Import) -> list[Table]:
    """Return each table with its title and the units of its columns."""
    return [
        Table(
            table.title or table.name,
            tuple(
                (Column if any(isinstance(row[at], str) for row in table.rows) else number)(
                    f"{column.name.replace('_', ' ')} ({column.unit})"
                    if column.unit and column.unit not in column.name.split("_")
                    else column.name.replace("_", " ")
                )
                for at, column in enumerate(table.columns)
            ),
            tuple(Row(tuple(map(_cell, row))) for row in table.rows),
        )
        for table in imported.tables
    ]


def _cell(value: str | float | None) -> str:
    if value is None or isinstance(value, str):
        return value or "-"
    return f"{value:.0f}" if float(value).is_integer() and abs(value) < 1e7 else f"{value:.6g}"
