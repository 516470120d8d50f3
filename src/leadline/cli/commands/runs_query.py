"""`leadline runs query`: SQL over all runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from leadline.cli.explaining import of_run
from leadline.cli.options import Shared, argument, declared, option, say
from leadline.core.errors import UserError
from leadline.output.table import table_of
from leadline.store.folder import RunFolder
from leadline.store.query import Found, Row, View, query, write_csv, write_json

if TYPE_CHECKING:
    from leadline.explain.report import Explained


@declared()
def command(
    sql: str = argument(),
    form: str = option(
        "How the rows are printed.",
        "--format",
        type=click.Choice(["table", "csv", "json"]),
        default="table",
    ),
    runs: Path = Shared.runs,
) -> None:
    """Query all runs with SQL.

    SQL is one SELECT, such as "SELECT bytes, median(seconds) FROM samples GROUP BY bytes". The
    views are samples (raw times), points (a finished point of a launch), figures (of imported
    runs), runs, and of recorded programs program_ranks and program_calls; DESCRIBE names their
    columns.
    """
    from leadline.output.terminal.table import print_table

    rows = query(runs, sql, recorded_views(runs))
    for line in rows.left_out:
        say(line)
    if form == "table":
        print_table(table_of(rows.names, (row for batch in rows.batches for row in batch)))
    else:
        write = write_csv if form == "csv" else write_json
        write(rows, sys.stdout.buffer)


_SECONDS = ("waiting_s", "transfer_s", "excess_s", "tunable_s")
_RANKS = {
    "run": "VARCHAR",
    "rank": "INTEGER",
    **dict.fromkeys(("computing_s", *_SECONDS), "DOUBLE"),
}
_CALLS = {
    **dict.fromkeys(("run", "call", "place"), "VARCHAR"),
    **dict.fromkeys(("bytes", "calls"), "BIGINT"),
    **dict.fromkeys((*_SECONDS, "bound_s", "slowest_s"), "DOUBLE"),
}
# `where` is a word of SQL: the column has another name than the field.
_FIELDS = {"place": "where"}


def recorded_views(runs: Path) -> dict[str, View]:
    """Return the views of the recordings in the folder `runs`, each made when it is asked for.

    Without `waiting_known` in a recording, its waiting is null: transfer holds it.
    """
    return {
        "program_ranks": View(_RANKS, _rows(runs, _RANKS, lambda found: found.ranks)),
        "program_calls": View(_CALLS, _rows(runs, _CALLS, lambda found: found.sites)),
    }


def _rows(
    runs: Path, columns: dict[str, str], parts: Callable[[Explained], Sequence[msgspec.Struct]]
) -> Callable[[Found], tuple[list[Row], list[str]]]:
    def make(found: Found) -> tuple[list[Row], list[str]]:
        rows: list[Row] = []
        left_out: list[str] = []
        for overview, run in found:
            if run is None or run.explained is None:
                continue
            folder = RunFolder(Path(overview.folder))
            try:
                explained = of_run(folder, run, runs)
            except UserError as error:
                left_out.append(f"{overview.run} is left out: {error}")
                continue
            for part in parts(explained):
                values = msgspec.structs.asdict(part) | {"run": overview.run}
                if not explained.waiting_known:
                    values["waiting_s"] = None
                rows.append(tuple(values[_FIELDS.get(name, name)] for name in columns))
        return rows, left_out

    return make
