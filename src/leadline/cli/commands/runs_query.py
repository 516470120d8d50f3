"""`leadline runs query`: SQL over all runs."""

import sys
from pathlib import Path

import click

from leadline.cli.options import runs_option
from leadline.cli.recorded_views import recorded_views
from leadline.output.table import table_of
from leadline.output.terminal.table import print_table
from leadline.store.query import query, write_csv, write_json


@click.command()
@click.argument("sql")
@click.option(
    "--format", "form", type=click.Choice(["table", "csv", "json"]), default="table",
    show_default=True, help="How the rows are printed.",
)  # fmt: skip
@runs_option
def command(sql: str, form: str, runs: Path) -> None:
    """Query all runs with SQL.

    SQL is one SELECT, such as "SELECT bytes, median(seconds) FROM samples GROUP BY bytes". The
    views are samples (raw times), points (a finished point of a launch), figures (of imported
    runs), runs, and of recorded programs program_ranks and program_calls; DESCRIBE names their
    columns.
    """
    rows = query(runs, sql, recorded_views(runs))
    for line in rows.left_out:
        click.echo(f"leadline: {line}", err=True)
    if form == "table":
        print_table(table_of(rows.names, (row for batch in rows.batches for row in batch)))
    else:
        write = write_csv if form == "csv" else write_json
        write(rows, sys.stdout.buffer)
