"""Groups of commands that are found by file name and imported only when they are used."""

import importlib
from types import ModuleType
from typing import Any

import click

from leadline.core.names import nearest
from leadline.core.plugins import modules_of

# What one wants of a command. Its module says which it serves, and its place there, most used
# first: HEADING = ("Measure", 2). FORMER has names that the command once had,
# MISTAKEN words that people type for it.
HEADINGS = ("Measure", "Understand", "Improve", "Machines and jobs", "Simulate", "Runs")
_NO_HEADING = ("Commands", 0)


class CommandGroup(click.Group):
    """A group that prints its help where no command is named, and knows what was mistyped."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; without any, print the help as an answer."""
        if not args and self.no_args_is_help and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names. Raises `UsageError` for none."""
        word = args[0]
        if word[:1] == "-" or self.get_command(ctx, word) or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        meant = self._meant(ctx, word)
        hint = f": did you mean {meant}?" if meant else ""
        raise click.UsageError(f"no command {word!r}{hint}", ctx)

    def _meant(self, ctx: click.Context, word: str) -> str | None:
        return nearest(word, self.list_commands(ctx))


class FoundCommands(CommandGroup):
    """A group whose commands are the `command` of each module of a package.

    A command is called like its file, with hyphens. Its former names work, and are not listed.
    """

    def __init__(self, *args: Any, package: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._package = package

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of their headings, and of their places under these."""
        return sorted(self._files(), key=lambda name: (*self._place(name), name))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name, or of that former name, None where there is none."""
        files = self._files()
        name = cmd_name if cmd_name in files else self._present_name(cmd_name)
        return self._module(name).command if name else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands under their headings, with the whole first line of their help."""
        sections = self.sections(ctx)
        width = max(len(name) for rows in sections.values() for name, _ in rows)
        for heading, rows in sections.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), line) for name, line in rows])

    def sections(self, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
        """Return the name and the first line of help of each command, by heading."""
        found: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            module = self._module(name)
            found.setdefault(_heading(module)[0], []).append((name, summary(module.command)))
        return found

    def _meant(self, ctx: click.Context, word: str) -> str | None:
        """Return the command that `word` means, of this group or of one in it."""
        if word == "help":
            return "--help"
        for name in self.list_commands(ctx):
            if word.lower() in getattr(self._module(name), "MISTAKEN", ()):
                return name
        if near := super()._meant(ctx, word):
            return near
        for name in self.list_commands(ctx):
            command = self._module(name).command
            if isinstance(command, click.Group) and command.get_command(ctx, word.lower()):
                return f"{name} {word.lower()}"
        return None

    def _files(self) -> list[str]:
        names = (name.rpartition(".")[2] for name in modules_of(self._package))
        return [name.replace("_", "-") for name in names]

    def _module(self, name: str) -> ModuleType:
        return importlib.import_module(f"{self._package}.{name.replace('-', '_')}")

    def _place(self, name: str) -> tuple[int, int]:
        heading, place = _heading(self._module(name))
        return HEADINGS.index(heading) if heading in HEADINGS else len(HEADINGS), place

    def _present_name(self, former: str) -> str | None:
        names = self._files()
        return next(
            (name for name in names if former in getattr(self._module(name), "FORMER", ())), None
        )


def summary(command: click.Command) -> str:
    """Return the first paragraph of a command's help, as one line without its full stop."""
    paragraph = (command.help or "").strip().split("\n\n")[0]
    return " ".join(paragraph.split()).removesuffix(".")


def _heading(module: ModuleType) -> tuple[str, int]:
    found: tuple[str, int] = getattr(module, "HEADING", _NO_HEADING)
    return found
