"""A run shown in the form that was asked for."""

from pathlib import Path

import click

from leadline.errors import UserError
from leadline.model.run import Run
from leadline.store.folder import RunFolder


def show(folder: RunFolder, run: Run, *, as_json: bool, html: Path | None) -> None:
    """Analyse the run and print it, as JSON or for people; write the report where asked."""
    from leadline.findings import conclude
    from leadline.store.samples import StoredSamples

    source = StoredSamples(folder)
    analysis = conclude(run, source)
    if html:
        from leadline.report.html import write_report

        try:
            write_report(html, run, analysis, source)
        except OSError as error:
            raise UserError(
                f"cannot write {html}: {error.strerror}: choose another file"
            ) from error
    if as_json:
        import msgspec

        from leadline.cli.answer import answer

        click.echo(msgspec.json.encode(answer(run, folder.path, analysis)))
    else:
        from leadline.terminal.summary import print_summary

        print_summary(run, analysis)
        if html:
            click.echo(f"report: {html}")
