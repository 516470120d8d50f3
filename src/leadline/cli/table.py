"""Tables on the terminal; in a pipe, as wide as they need to be."""

import sys
from collections.abc import Iterable, Sequence


def print_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print `rows` under `headings`. None is printed as nothing, text is never taken as markup."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE)
    for heading in headings:
        # A path that is cut is of no use: it goes on in the next line.
        table.add_column(Text(heading), overflow="fold")
    for row in rows:
        table.add_row(*(Text("" if value is None else str(value)) for value in row))
    Console(width=None if sys.stdout.isatty() else 10_000).print(table)
