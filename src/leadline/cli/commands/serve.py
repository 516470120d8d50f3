"""`leadline serve`: all runs in a browser."""

import os
import sys
import tempfile
import webbrowser
from contextlib import ExitStack
from pathlib import Path

import click

from leadline.cli.options import Shared, declared, option
from leadline.core.extras import require


@declared()
def command(
    port: int = option(
        "Port of this machine to listen on; 0 is any free port.",
        "P",
        type=click.IntRange(0, 65535),
        default=8711,
    ),
    opened: bool = option("Open the list in a browser.", "--open"),
    runs: Path = Shared.runs,
) -> None:
    """Show all runs in a browser.

    List, open and compare them, and follow the nights of a plan. The server changes no run, and
    answers this machine only, and there whoever has the address that it prints, with its token.
    """
    require("serve")
    from leadline.cli.explaining import of_run
    from leadline.cli.show import answer
    from leadline.explain.report import Explained
    from leadline.library.nights import last_nights
    from leadline.model.run import Run
    from leadline.output.server.server import serve
    from leadline.store.folder import RunFolder

    def ready(address: str) -> None:
        click.echo(f"{address} shows the runs in {runs}; Ctrl-C stops it")
        if opened:
            # All users see what a program is given: only this one may read the file.
            folder = until_stopped.enter_context(tempfile.TemporaryDirectory(prefix="leadline-"))
            way_in = Path(folder, "runs.html")
            way_in.write_text(f'<meta http-equiv="refresh" content="0; url={address}">\n')
            webbrowser.open(way_in.as_uri())

    def explained(run: Run, folder: Path) -> Explained:
        return of_run(RunFolder(folder), run, folder.parent)

    with ExitStack() as until_stopped:
        serve(runs, port, answer, ready, explained, last_nights)
    click.echo("stopped")
    sys.stdout.flush()
    # Figures may still be made, in code that nothing but the end of the process can end.
    os._exit(0)
