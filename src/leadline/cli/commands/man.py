"""`leadline man`: manual pages of all commands."""

from pathlib import Path

import click

HEADING = ("Machines and jobs", 7)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.pass_context
def command(ctx: click.Context, folder: Path) -> None:
    """Write the manual pages of all commands.

    FOLDER is where `man` looks, such as ~/.local/share/man. Then `man leadline-run` shows a page.
    """
    import datetime

    from leadline import __version__
    from leadline.cli.manual import pages
    from leadline.core.errors import UserError

    day = datetime.date.today().isoformat()
    section = folder / "man1"
    written = pages(ctx.find_root().command, day, __version__)
    try:
        section.mkdir(parents=True, exist_ok=True)
        for name, text in written.items():
            (section / f"{name}.1").write_text(text)
    except OSError as error:
        raise UserError(
            f"cannot write {section}: {error.strerror}: choose another FOLDER"
        ) from None
    click.echo(f"{len(written)} pages are in {section}: try `man leadline-run`")
