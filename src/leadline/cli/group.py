"""Groups of commands that are found by file name and imported only when they are used."""

import importlib
from collections.abc import Mapping
from typing import Any

import click

from leadline.core.plugins import modules_of


class FoundCommands(click.Group):
    """A group whose commands are the `command` of each module of a package.

    `former` has names that commands once had: these still work, and are not listed.
    """

    def __init__(
        self, *args: Any, package: str, former: Mapping[str, str] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self._package = package
        self._former = former or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the files."""
        return [name.rsplit(".", 1)[1] for name in modules_of(self._package)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command, None where no file is called so."""
        name = self._former.get(cmd_name, cmd_name)
        if name not in self.list_commands(ctx):
            return None
        command: click.Command = importlib.import_module(f"{self._package}.{name}").command
        return command
