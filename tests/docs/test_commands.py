"""Every command line in the documents is one that leadline understands."""

import fnmatch
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from leadline.cli import benchmark_command, group
from leadline.model.hosts import Hosts
from leadline.site.schedulers.vcluster import allocation as lab

ROOT = Path(__file__).parents[2]
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
PLAN = "plan.toml"


def _blocks(text, language=""):
    found = re.findall(r"^ *```(\w*)\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)
    return [block for of, block in found if of == language]


def _commands():
    """The lines of code blocks that are commands of leadline, each once."""
    written = [path for path in DOCUMENTS if path.name != "commands.md"]
    blocks = [block for path in written for block in _blocks(path.read_text())]
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    return list(dict.fromkeys(line for line in lines if line.startswith("leadline ")))


def _mentions():
    """The commands within sentences; they may hold placeholders."""
    written = [path for path in DOCUMENTS if path.name != "commands.md"]
    prose = "\n".join(re.sub(r"```.*?```", "", path.read_text(), flags=re.S) for path in written)
    found = re.findall(r"`(leadline [a-z][^`]*)`", prose)
    return list(dict.fromkeys(" ".join(each.split()) for each in found))


COMMANDS = _commands()


def _words(line):
    return shlex.split(line, comments=True)[1:]


def _declared(pattern):
    """The names that the probes' sources declare in this way."""
    sources = [*(ROOT / "probes").rglob("*.cpp"), *(ROOT / "probes").rglob("*.hpp")]
    return {name for path in sources for name in re.findall(pattern, path.read_text())}


def _axes(benchmarks, mpi, simulated):
    """Every axis that any benchmark has: the probes themselves, which say more, need an MPI."""
    there = _declared(r'\.name = "(\w+/\w+)"')
    assert all(fnmatch.filter(there, name) for name in benchmarks)
    ways = (r'_axis\(\s*"([a-z]\w*)"', r'\{"(\w+)", AxisKind', r'\.name = "(\w+)"')
    names = {"bytes"}.union(*map(_declared, ways))
    spellings = ({name, name.replace("_", "-")} for name in sorted(names))
    return [click.Option([f"--{each}" for each in sorted(either)]) for either in spellings]


def _leaves(command, context):
    for name in command.list_commands(context):
        child = command.get_command(context, name)
        yield name, child
        if isinstance(child, click.Group):
            yield from _leaves(child, context)


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
    assert {"run", "survey", "show", "mpi", "doctor"} <= {_words(line)[0] for line in COMMANDS}


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_parses(parsed, line):
    result = parsed(_words(line))
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    "line",
    [
        "measure",
        "run",
        "run family/unknown",
        "run mpi/pingpong --byte 8",
        "show last --htlm page.html",
        "export last --format word",
    ],
)
def test_the_parser_refuses_what_is_wrong(parsed, line):
    assert parsed(line.split()).exit_code != 0


@pytest.mark.parametrize("mention", _mentions())
def test_a_command_in_a_sentence_exists(mention):
    words = mention.partition(" -- ")[0].split()[1:]
    command = group.get_command(click.Context(group), words[0])
    assert command is not None
    named = [command]
    if isinstance(command, click.Group) and len(words) > 1 and not words[1].startswith("-"):
        child = command.get_command(click.Context(command), words[1])
        assert child is not None
        named.append(child)
    options = [option for each in named for option in each.params]
    own = {name for option in options for name in option.opts + option.secondary_opts}
    if words[0] == "run":
        own |= {name for option in _axes([], None, False) for name in option.opts}
    used = {word.partition("=")[0] for word in words if word.startswith("--")}
    assert used <= own | {"--help"}


def test_the_reference_is_up_to_date():
    script = [sys.executable, str(ROOT / "tools" / "command-reference")]
    made = subprocess.run(script, capture_output=True, text=True, check=True, timeout=60).stdout
    written = (ROOT / "docs" / "commands.md").read_text()
    # Other versions of click break lines elsewhere.
    assert written.split() == made.split(), "docs/commands.md is old: run make docs"


def test_every_command_has_its_section_in_the_reference():
    written = (ROOT / "docs" / "commands.md").read_text()
    for name, _ in _leaves(group, click.Context(group)):
        assert re.search(rf"^## leadline (\w+ )?{name}$", written, re.MULTILINE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the plan of the guide, and a home of leadline's that lasts for all commands."""
    folder = tmp_path_factory.mktemp("documents")
    (plan,) = _blocks((ROOT / "docs" / "guide.md").read_text(), "toml")
    (folder / PLAN).write_text(plan)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEADLINE_HOME", str(folder / "home"))
        # The one that the guide's tuning makes before.
        profile = folder / "profile.toml"
        profile.touch()
        patch.setenv("LEADLINE_PROFILE", str(profile))
        patch.chdir(folder)
        # Those of the virtual cluster that the guide makes before.
        names = tuple(f"h{number}" for number in range(6))
        there = Hosts(names=names, cores=(2,) * 6, shared_cores=12)
        patch.setattr(lab.ALLOCATION, "find", lambda: there, raising=True)
        yield folder


def _dry_run(words):
    result = CliRunner().invoke(group, [*words, "--dry-run"])
    assert result.exit_code == 0, result.exception or result.output
    return [line for line in result.output.splitlines() if "leadline-probe-" in line]


FAKE = [line for line in COMMANDS if _words(line)[0] == "run" and "--mpi fake" in line]


@pytest.mark.parametrize("line", FAKE)
def test_a_simulated_run_could_start(folder, line):
    assert _dry_run(_words(line))


def test_the_plan_of_the_guide_is_one(folder):
    from leadline.measure.plan.plans import read_plan

    plan = read_plan(PLAN)
    assert {name for entry in plan.entries for name in entry.benchmarks} <= _declared(
        r'\.name = "(\w+/\w+)"'
    )


REAL = [
    line
    for line in COMMANDS
    if _words(line)[0] in ("run", "survey") and line not in FAKE and "--help" not in line
]


@pytest.mark.mpi
@pytest.mark.parametrize("line", REAL)
def test_a_run_could_start(folder, line):
    """With the values of its axes, checked by the probes of an MPI that is here."""
    from leadline.site.mpi.discovery import find_installations

    words = _words(line)
    api = "shmem" if any(word.startswith("shmem/") for word in words) else "mpi"
    there = [each for each in find_installations() if api in each.apis]
    if not there:
        package = "openmpi-bin with libopenmpi-dev" if api == "shmem" else "mpich"
        pytest.skip(f"nothing here starts {api} programs: install {package}")
    # The MPIs that a document names are those of its own machine, and so are its cores.
    assert _dry_run([*words, "--mpi", there[0].name, "--oversubscribe"])
