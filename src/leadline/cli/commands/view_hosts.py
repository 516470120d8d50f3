"""`leadline view hosts`: a host file as each launcher reads it."""

from pathlib import Path

import click
import msgspec

from leadline.core.errors import UserError
from leadline.output.table import table_of
from leadline.output.terminal.order import heading, remarks, rows
from leadline.output.terminal.table import print_table
from leadline.topology.host_file import explain


@click.command()
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "-n",
    "--processes",
    type=click.IntRange(1, 10**6),
    help="Number of ranks  [default: the file's]",
)
@click.option(
    "--cores",
    type=click.IntRange(1, 10**4),
    help="Cores of each host, for launchers that count them.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
def command(file: Path, processes: int | None, cores: int | None, as_json: bool) -> None:
    """Show how each launcher reads a host file.

    Slots, where ranks go, and what the launcher refuses. FILE is for Open MPI (slots=, rank files),
    MPICH and Intel MPI (HOST:N), Slurm or PBS (a line for each). Open MPI and Intel MPI count a
    host's cores where the file gives no slots.
    """
    try:
        with click.open_file(str(file)) as stream:
            text = stream.read()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise UserError(f"cannot read {file}: {why}") from error
    found = explain(text, str(file), processes, cores)
    if as_json:
        click.echo(msgspec.json.encode(found))
        return

    click.echo(heading(found))
    print_table(table_of(("read by", "slots", "ranks"), rows(found)))
    for line in remarks(found):
        click.echo(line)
