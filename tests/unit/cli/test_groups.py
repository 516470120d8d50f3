"""The list of commands, as `leadline --help` prints it."""

import sys

import click
import pytest
from click.testing import CliRunner

from leadline.cli import group
from leadline.cli.group import HEADINGS, FoundCommands, summary

CONTEXT = click.Context(group)


def _help(words, columns=80):
    return CliRunner().invoke(group, [*words, "--help"], terminal_width=columns).output


def _every(of=group):
    for name in of.list_commands(CONTEXT):
        command = of.get_command(CONTEXT, name)
        yield command
        if isinstance(command, click.Group):
            yield from _every(command)


def test_commands_stand_under_what_one_wants():
    sections = group.sections(CONTEXT)
    assert tuple(sections) == HEADINGS
    assert [name for name, _ in sections["Measure"]][:3] == ["survey", "run", "ask"]
    assert sections["Improve"][-1][0] == "hints" and sections["Measure"][-1][0] == "congest"
    places = [group._place(name) for name in group.list_commands(CONTEXT)]
    assert len(set(places)) == len(places)


def test_no_description_is_cut_in_80_columns():
    lines = _help([]).splitlines()
    for heading, rows in group.sections(CONTEXT).items():
        at = lines.index(f"{heading}:")
        listed = lines[at + 1 : at + 1 + len(rows)]
        assert [tuple(line.split(maxsplit=1)) for line in listed] == rows
    assert max(map(len, lines)) <= 80


def test_each_description_is_one_short_line():
    assert [summary(each) for each in _every() if len(summary(each)) > 55] == []


@pytest.mark.parametrize(
    ("former", "name"),
    [("place", "rank-order"), ("env", "software"), ("figure", "plot"), ("lab", "virtual-cluster")],
)
def test_a_former_name_works_and_is_not_listed(former, name):
    assert group.get_command(CONTEXT, former) is group.get_command(CONTEXT, name)
    assert former not in group.list_commands(CONTEXT) and name in group.list_commands(CONTEXT)


def test_a_view_was_called_otherwise():
    view = group.get_command(CONTEXT, "view")
    assert isinstance(view, FoundCommands)
    assert view.get_command(CONTEXT, "config") is view.get_command(CONTEXT, "nodes")
    assert "config" not in _help(["view"])


def test_the_list_of_commands_needs_nothing_slow(monkeypatch):
    for name in [each for each in sys.modules if each.startswith("leadline.cli.commands")]:
        monkeypatch.delitem(sys.modules, name)
    for slow in ("numpy", "duckdb", "rich", "pyarrow"):
        monkeypatch.setitem(sys.modules, slow, None)
    assert "Measure:" in _help([])
