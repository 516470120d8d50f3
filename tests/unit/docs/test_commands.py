"""Every command line in the documents is one that leadline understands."""

import fnmatch
import re

import click
import pytest
from click.testing import CliRunner
from documents import commands, declared, mentions, words_of

from leadline.analysis.findings.kinds import kinds
from leadline.cli import benchmark_command, group
from leadline.cli.table import renamed

COMMANDS = commands()


def _axes(benchmarks, mpi, simulated, say=None, *, only_listed=False):
    """Every axis that any benchmark has: the probes themselves, which say more, need an MPI."""
    there = declared(r'\.name = "(\w+/\w+)"')
    assert all(fnmatch.filter(there, name) for name in benchmarks)
    ways = (r'_axis\(\s*"([a-z]\w*)"', r'\{"(\w+)", AxisKind', r'\.name = "(\w+)"')
    names = {"bytes"}.union(*map(declared, ways))
    spellings = ({name, name.replace("_", "-")} for name in sorted(names))
    return [click.Option([f"--{each}" for each in sorted(either)]) for either in spellings]


def _leaves(command, context):
    for name in (*getattr(command, "rows", {}), *command.commands):
        child = command.get_command(context, name)
        yield name, child
        if isinstance(child, click.Group):
            yield from _leaves(child, context)
        for option, mode in getattr(child, "modes", {}).items():
            yield f"{name} {option}", mode.load()


@pytest.fixture
def parsed(monkeypatch):
    """What parses a command line and does nothing else."""
    context = click.Context(group)
    for _, command in _leaves(group, context):
        monkeypatch.setattr(command, "callback", lambda *args, **kwargs: None)
    monkeypatch.setattr(benchmark_command, "_axis_options", _axes)
    monkeypatch.setattr(benchmark_command, "_check", lambda *given: None)
    return lambda words: CliRunner().invoke(group, words)


def test_the_documents_hold_commands():
    assert len(COMMANDS) > 20
    assert {"run", "survey", "show", "mpi", "check"} <= {words_of(line)[0] for line in COMMANDS}


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_parses(parsed, line):
    assert renamed(words_of(line)) is None
    result = parsed(words_of(line))
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    "line",
    [
        "measure",
        "run",
        "run family/unknown",
        "run mpi/pingpong --byte 8",
        "show last --htlm page.html",
        "show last --export word",
    ],
)
def test_the_parser_refuses_what_is_wrong(parsed, line):
    assert parsed(line.split()).exit_code != 0


@pytest.mark.parametrize("mention", mentions())
def test_a_command_in_a_sentence_exists(mention):
    words = mention.partition(" -- ")[0].split()[1:]
    assert renamed(words) is None
    command = group.get_command(click.Context(group), words[0])
    assert command is not None
    named = [command]
    if isinstance(command, click.Group) and len(words) > 1 and not words[1].startswith("-"):
        child = command.get_command(click.Context(command), words[1])
        assert child is not None
        named.append(child)
    modes = getattr(command, "modes", {})
    named += [modes[word].load() for word in words if word in modes]
    options = [option for each in named for option in each.params]
    own = {name for option in options for name in option.opts + option.secondary_opts}
    if words[0] == "run":
        own |= {name for option in _axes([], None, False) for name in option.opts}
    used = {word.partition("=")[0] for word in words if word.startswith("--")}
    assert used <= own | {"--help"}


def test_every_kind_of_finding_is_in_the_reference(made):
    assert sorted(re.findall(r"^### (\w+)$", made["findings.md"], re.MULTILINE)) == sorted(kinds())


def test_every_command_has_its_section_in_the_reference(made):
    for name, _ in _leaves(group, click.Context(group)):
        assert re.search(rf"^## leadline ([\w-]+ )?{name}$", made["commands.md"], re.MULTILINE)
