"""The list of commands, as `leadline --help` prints it, and the table behind it."""

import sys

import click
import pytest
from click.testing import CliRunner

from leadline.cli import group, table
from leadline.cli.group import CommandGroup, ModeCommand, summary

CONTEXT = click.Context(group)


def _help(words):
    return CliRunner().invoke(group, [*words, "--help"], terminal_width=80).output


def _every(of=group):
    for name in of.rows if isinstance(of, CommandGroup) else ():
        command = of.get_command(CONTEXT, name)
        yield of.rows[name], command
        yield from _every(command)
    for mode in of.modes.values() if isinstance(of, ModeCommand) else ():
        yield mode, mode.load()


@pytest.mark.parametrize(("row", "command"), list(_every()), ids=lambda each: str(each)[:40])
def test_the_table_says_what_the_command_says(row, command):
    assert row.sentence == summary(command)
    assert len(row.sentence) <= 55


def test_all_commands_stand_on_one_screen():
    text = _help([])
    lines = text.splitlines()
    assert len(lines) <= 33 and max(map(len, lines)) <= 80
    listed = group.list_commands(CONTEXT)
    assert listed[:7] == ["survey", "explain", "check", "stuck", "screen", "watch", "exec"]
    assert len(listed) <= 23
    assert [line.split()[0] for line in lines if line[:2] == "  " and "  " in line[3:]] == listed
    assert len(group.sections(CONTEXT)) == 5


@pytest.mark.parametrize("old", table._NOW)
def test_an_old_name_is_answered_with_the_new_one(old):
    result = CliRunner().invoke(group, [*old.split(), "--help"], prog_name="leadline")
    assert result.exit_code == 0, result.output
    now = table._NOW[old]
    said = f"leadline: `leadline {old}` is now `leadline {now}`\n"
    assert result.stderr == said
    assert result.stdout.startswith(f"Usage: leadline {' '.join(now.split()[:1])} ")
    assert old not in group.list_commands(CONTEXT)


@pytest.mark.parametrize(
    ("words", "now"),
    [
        ("ask", "run --list questions"),
        ("ask --json", "run --list questions --json"),
        ("ask halo --quick", "run halo --quick"),
        ("plot a b --benchmark x", "show a b --benchmark x --plot"),
        ("plot a --plot curve", "show a --plot curve"),
        ("export last", "show last --export"),
        ("export --format csv last", "show --export csv last"),
        ("profile show FILE", "tune --show FILE"),
        ("findings last --json", "show --findings last --json"),
        ("show last", ""),
    ],
)
def test_old_options_are_those_of_the_new_command(words, now):
    found = table.renamed(words.split())
    assert (found.words if found else None) == (now.split() or None)


def test_a_view_was_called_otherwise():
    assert " view nodes " in CliRunner().invoke(group, ["view", "config", "--help"]).stdout
    assert "config" not in _help(["view"])


def test_a_name_of_a_platform_is_shown():
    assert CliRunner().invoke(group, ["platforms", "cray-xt"]).output.startswith("cray-xt: ")
    listed = CliRunner().invoke(group, ["platforms"]).output.splitlines()
    assert max(map(len, listed)) <= 80
    as_json = CliRunner().invoke(group, ["platforms", "--json", "cray-xt"])
    assert as_json.output == CliRunner().invoke(group, ["platforms", "cray-xt", "--json"]).output


def test_the_list_of_commands_imports_none(monkeypatch):
    commands = "leadline.cli.commands"
    for name in [each for each in sys.modules if each.startswith(commands)]:
        monkeypatch.delitem(sys.modules, name)
    for slow in ("numpy", "duckdb", "rich", "pyarrow"):
        monkeypatch.setitem(sys.modules, slow, None)
    assert "Measure:" in _help([])
    assert [name for name in sys.modules if name.startswith(commands)] == []
