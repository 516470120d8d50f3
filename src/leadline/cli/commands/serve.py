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
    jobs: Path | None = option(
        "Show all jobs in FOLDER too, as `leadline jobs` does.",
        "FOLDER",
        type=click.Path(path_type=Path),
    ),
    opened: bool = option("Open the list in a browser.", "--open"),
    runs: Path = Shared.runs,
) -> None:
    """Show all runs in a browser.

    List, open and compare them, and follow the nights of a plan; with --jobs, see which jobs of a
    site lose most. The server changes nothing, and answers this machine only, and there whoever has
    the address that it prints, with its token.
    """
    require("serve")
    from leadline.cli.explaining import explained, of_run
    from leadline.cli.show import answer
    from leadline.explain.report import Explained
    from leadline.library.nights import last_nights
    from leadline.model.run import Run
    from leadline.output.server.jobs import Jobs
    from leadline.output.server.server import serve
    from leadline.output.terminal.progress import CountBar
    from leadline.store.folder import RunFolder

    def ready(address: str) -> None:
        what = f"the jobs in {jobs} and the runs" if jobs else "the runs"
        click.echo(f"{address} shows {what} in {runs}; Ctrl-C stops it")
        if opened:
            # All users see what a program is given: only this one may read the file.
            folder = until_stopped.enter_context(tempfile.TemporaryDirectory(prefix="leadline-"))
            way_in = Path(folder, "runs.html")
            way_in.write_text(f'<meta http-equiv="refresh" content="0; url={address}">\n')
            webbrowser.open(way_in.as_uri())

    def recorded(run: Run, folder: Path) -> Explained:
        return of_run(RunFolder(folder), run, folder.parent)

    of_site = Jobs(jobs, lambda file: explained(str(file), runs)) if jobs else None
    if of_site:
        there = of_site.files()
        with CountBar(sys.stderr, "jobs", len(there.files)) as bar:
            of_site.read(there, bar.at)
    with ExitStack() as until_stopped:
        serve(runs, port, answer, ready, recorded, last_nights, of_site)
    click.echo("stopped")
    sys.stdout.flush()
    # Figures may still be made, in code that nothing but the end of the process can end.
    os._exit(0)
