"""Groups whose commands stand in a table, and commands of which an option names another one."""

import importlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import click

from leadline.core.names import nearest


class Renamed(NamedTuple):
    """A command line with an old name in front: that name, the present one, and the words now."""

    old: str
    now: str
    words: list[str]


class Row(NamedTuple):
    """A command of a table; its module is imported when it is used.

    `where` is MODULE or MODULE:ATTRIBUTE below `leadline.cli.commands`, `sentence` what its help
    begins with. Without a heading it is not listed. `mistaken` are words that people type for it.
    """

    name: str
    sentence: str
    where: str
    heading: str | None = "Commands"
    mistaken: tuple[str, ...] = ()

    def load(self) -> click.Command:
        """Import the command."""
        module, _, attribute = self.where.partition(":")
        loaded: click.Command = getattr(
            importlib.import_module(f"leadline.cli.commands.{module}"), attribute or "command"
        )
        return loaded


class CommandGroup(click.Group):
    """A group with a table of commands, which knows old names and what was mistyped.

    Without a command it prints its help. `renamed` knows the old names: it returns None for words
    without one in front.
    """

    def __init__(
        self,
        *args: Any,
        rows: Sequence[Row] = (),
        renamed: Callable[[Sequence[str]], Renamed | None] = lambda _: None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.rows = {row.name: row for row in rows}
        self._renamed = renamed

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table."""
        return [row.name for row in self.rows.values() if row.heading is not None]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name, None where there is none."""
        row = self.rows.get(cmd_name)
        return row.load() if row else None

    def sections(self, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
        """Return the names and the sentences of the commands by heading; none is imported."""
        found: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            row = self.rows[name]
            found.setdefault(row.heading or "", []).append((name, row.sentence))
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands under their headings, with their whole sentences."""
        width = max(map(len, self.list_commands(ctx)))
        for heading, rows in self.sections(ctx).items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), line) for name, line in rows])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; without any, print the help as an answer."""
        if not args and self.no_args_is_help and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names. Raises `UsageError` for none.

        An old name is answered with the new one in a line on standard error.
        """
        if found := self._renamed(args):
            if not ctx.resilient_parsing:
                path = ctx.command_path
                click.echo(f"leadline: `{path} {found.old}` is now `{path} {found.now}`", err=True)
            args = found.words
        word = args[0]
        if word[:1] == "-" or self.get_command(ctx, word) or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        meant = self._meant(ctx, word.lower())
        hint = f": did you mean {meant}?" if meant else ""
        raise click.UsageError(f"no command {word!r}{hint}", ctx)

    def _meant(self, ctx: click.Context, word: str) -> str | None:
        if word == "help":
            return "--help"
        names = self.list_commands(ctx)
        for name in names:
            if word in self.rows[name].mistaken:
                return name
        if near := nearest(word, names):
            return near
        for name in names:
            command = self.get_command(ctx, name)
            if isinstance(command, click.Group) and command.get_command(ctx, word):
                return f"{name} {word}"
        return None


class Mode(NamedTuple):
    """An option that stands for another command: `show RUN --findings` has options of its own.

    `where` is that of a `Row`. A command with an option of that name is given it, with its value.
    """

    option: str
    sentence: str
    where: str
    metavar: str = ""
    heading: str = "Output"

    def load(self) -> click.Command:
        """Import the command."""
        return Row("", "", self.where).load()


class ModeCommand(click.Command):
    """A command some of whose options are modes: with one of these it is another command."""

    def __init__(self, *args: Any, modes: Sequence[Mode] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.modes = {mode.option: mode for mode in modes}
        self.params += [self._option(mode) for mode in modes]

    def _option(self, mode: Mode) -> click.Option:
        option = click.Option(
            [mode.option],
            is_flag=not mode.metavar,
            metavar=mode.metavar or None,
            expose_value=False,
            help=f"{mode.sentence}; `{self.name} {mode.option} --help` has its options.",
        )
        option.heading = mode.heading  # type: ignore[attr-defined]
        return option

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Return the context of this command, or of the one that a mode among `args` names."""
        for mode in self.modes.values():
            if any(word.partition("=")[0] == mode.option for word in args):
                command = mode.load()
                kept = any(mode.option in each.opts for each in command.params)
                rest = [word for word in args if kept or word != mode.option]
                return command.make_context(f"{info_name} {mode.option}", rest, parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


def summary(command: click.Command) -> str:
    """Return the first paragraph of a command's help, as one line without its full stop."""
    paragraph = (command.help or "").strip().split("\n\n")[0]
    return " ".join(paragraph.split()).removesuffix(".")
