"""`leadline show --export`: the samples or the figures of a run, for other tools."""

from contextlib import suppress
from pathlib import Path

import click

from leadline.cli.completion import complete_runs
from leadline.cli.options import Shared, argument, declared, option, write
from leadline.core.errors import UserError
from leadline.exchange.exports import export, names
from leadline.exchange.exports.formats import ResultExport, SampleExport
from leadline.exchange.subject import part, refuse_recording
from leadline.output.table import table_of
from leadline.store.folder import RunFolder


def _known(form: str | None) -> str | None:
    """Return the format's name, empty or None where none is named. Raises `BadParameter`."""
    if form and form not in names():
        raise click.BadParameter(f"{form!r} is no format: take one of {', '.join(names())}")
    return form


@declared()
def command(
    run: str = argument(shell_complete=complete_runs),
    form: str | None = option(
        f"Format, without which the formats are listed: {', '.join(names())}.",
        "--export [FORMAT]",
        is_flag=False,
        flag_value="",
        callback=lambda _context, _option, form: _known(form),
        shell_complete=lambda _context, _option, begun: [n for n in names() if n.startswith(begun)],
    ),
    output: str | None = option(
        "File to write; - is standard output, the default of text formats.", "FILE"
    ),
    runs: Path = Shared.runs,
) -> None:
    """Write the samples or figures of a run to a file.

    RUN is a name that `leadline runs` lists, its unique beginning, `last`, a path, or a file of
    another program. Samples are raw, never averaged. Of figures a colon and NAME=VALUE,... after
    RUN take a part, as for `leadline compare`: last:mpi=mpich-5,place=1x2.
    """
    if not form:
        if output:
            raise UserError(f"--output {output}: say a format, which `--export` alone lists")
        _print_formats()
        return
    chosen = export(form)
    if isinstance(chosen, SampleExport):
        if output is None and not chosen.text:
            raise UserError(f"{form} is not text: name a file with --output FILE, or - for a pipe")
        _write_samples(chosen, run, runs, output)
    else:
        _write_figures(chosen, run, runs, output)


def _print_formats() -> None:
    from leadline.output.terminal.table import print_table

    rows = [(name, export(name).title) for name in names()]
    print_table(table_of(("format", "what is written"), rows))


def _write_samples(export: SampleExport, run: str, runs: Path, output: str | None) -> None:
    folder = None if Path(run).is_file() else RunFolder.open(run, runs)
    if folder and _is_recording(folder):
        raise UserError(
            f"{run} is a recording of a program and has no samples: "
            f"`leadline explain --json {run}` prints all of it"
        )
    if folder is None or _is_import(folder):
        raise UserError(
            f"{run} was measured by another program and has no samples here: write its figures "
            "with --export figures-csv or figures-json"
        )
    with folder.table() as samples:
        write(output, lambda stream: export.write(samples, stream))


def _is_recording(folder: RunFolder) -> bool:
    with suppress(UserError):
        return folder.stored().explained is not None
    return False


def _is_import(folder: RunFolder) -> bool:
    with suppress(UserError):  # what is damaged may still have samples
        return folder.stored().imported is not None
    return False


def _write_figures(export: ResultExport, run: str, runs: Path, output: str | None) -> None:
    from leadline.exchange.analysis import analysis_of

    _, found = part(run, runs)
    refuse_recording(found.run, run)
    content = export.write(found.run, analysis_of(found.run, found.samples)).encode()
    write(output, lambda stream: stream.write(content))
