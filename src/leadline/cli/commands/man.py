"""`leadline man` and `leadline completion`: what an installation gives `man` and shells."""

import datetime
from collections.abc import Iterator
from pathlib import Path

import click
from click.shell_completion import ShellComplete, get_completion_class

from leadline import __version__
from leadline.cli.group import ModeCommand, summary
from leadline.cli.options import FOLDER, argument, declared
from leadline.core.errors import UserError
from leadline.output.manual import escape, paragraph


@declared()
def command(ctx: click.Context, folder: Path = argument(type=FOLDER)) -> None:
    """Write the manual pages of all commands.

    FOLDER is where `man` looks, such as ~/.local/share/man. Then `man leadline-run` shows a page.
    """
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


def pages(root: click.Command, day: str, version: str) -> dict[str, str]:
    """Return the pages of section 1 by name, for `root` and each command below it.

    `day` and `version`, of leadline, are for their last lines.
    """
    return {
        _named(context): _page(context, day, version)
        for context in _contexts(root, "leadline", None)
    }


def _contexts(
    command: click.Command, name: str, parent: click.Context | None
) -> Iterator[click.Context]:
    context = command.make_context(name, [], parent, resilient_parsing=True)
    yield context
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            if found := command.get_command(context, child):
                yield from _contexts(found, child, context)
    if isinstance(command, ModeCommand):
        for option in command.modes:
            yield command.make_context(name, [option], parent, resilient_parsing=True)


def _named(context: click.Context) -> str:
    return context.command_path.replace(" --", "-").replace(" ", "-")


def _page(context: click.Context, day: str, version: str) -> str:
    command = context.command
    name = escape(_named(context))
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    lines = [
        f'.TH "{name.upper()}" 1 "{escape(day)}" "leadline {escape(version)}" "leadline"',
        ".nh",
        ".ad l",
        ".SH NAME",
        rf"{name} \- {escape(summary(command))}",
        ".SH SYNOPSIS",
        *paragraph(usage),
    ]
    if description := (command.help or "").strip().partition("\n\n")[2]:
        lines += [".SH DESCRIPTION", *_description(description)]
    options = [each for each in command.get_params(context) if isinstance(each, click.Option)]
    records = [option.get_help_record(context) for option in options]
    lines.append(".SH OPTIONS")
    for record in filter(None, records):
        lines += [".TP", rf"\fB{escape(record[0])}\fR", *paragraph(record[1])]
    if isinstance(command, click.Group):
        lines.append(".SH COMMANDS")
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            assert found
            lines += [".TP", rf"\fB{escape(child)}\fR", *paragraph(summary(found))]
    return "\n".join(lines) + "\n"


def _description(text: str) -> Iterator[str]:
    for part in text.split("\n\n"):
        yield ".PP"
        if part.lstrip().startswith("\b"):  # lines that stay as they are
            yield from (".nf", *(escape(line.strip()) for line in part.splitlines()[1:]), ".fi")
        else:
            yield from paragraph(" ".join(part.split()))


@declared()
def completion(
    ctx: click.Context, shell: str = argument(type=click.Choice(["bash", "zsh", "fish"]))
) -> None:
    """Print the script that completes words in a shell.

    Commands, options, benchmarks, plans, runs, MPIs, platforms and questions are completed. Write
    the script once to where the shell finds it:

    \b
    mkdir -p ~/.local/share/bash-completion/completions ~/.config/fish/completions
    leadline completion bash > ~/.local/share/bash-completion/completions/leadline
    leadline completion zsh >> ~/.zshrc
    leadline completion fish > ~/.config/fish/completions/leadline.fish
    """  # noqa: D301 (click keeps the lines after a backspace)
    kind = get_completion_class(shell)
    assert kind
    script = kind(ctx.find_root().command, {}, "leadline", "_LEADLINE_COMPLETE")
    # The class's own source() starts the shell to learn its version.
    click.echo(ShellComplete.source(script))
