"""Help is in plain words: short sentences of the field's terms."""

from collections.abc import Iterator

import click
import pytest
from wording import faults

from leadline.cli import group


def _commands(
    command: click.Command, name: str = "leadline"
) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(command, info_name=name)
    for own in command.list_commands(context) if isinstance(command, click.Group) else ():
        if found := command.get_command(context, own):
            yield from _commands(found, f"{name} {own}")
    for option, mode in getattr(command, "modes", {}).items():
        yield f"{name} {option}", mode.load()
    yield name, command


@pytest.mark.parametrize(("name", "command"), list(_commands(group)))
def test_help_is_in_plain_words(name, command) -> None:
    texts = [" ".join((command.help or "").split("\f")[0].split())]
    texts += [one.help for one in command.params if isinstance(one, click.Option) and one.help]
    told = {
        text: found
        for text in texts
        if (found := [fault for fault in faults(text) if fault != "is no clean sentence"])
    }
    assert told == {}
