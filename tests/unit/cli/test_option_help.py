"""Help of commands with many options, completion of values, and manual pages."""

import re

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from leadline import cli
from leadline.cli import benchmark_command, completion, group
from leadline.cli.options import HeadedOption


@pytest.mark.parametrize("name", ["run", "survey", "simulate"])
def test_options_stand_in_groups_with_examples_below(name):
    text = CliRunner().invoke(group, [name, "--help"], terminal_width=80).output
    headings = re.findall(r"^(\w[\w ]*):$", text, re.MULTILINE)
    assert headings == ["What", "Where", "How precisely", "Output", "Advanced", "Examples"]
    assert text.index("Advanced:") < text.index("--victims") < text.index("Examples:")
    assert text.index("What:") < text.index("--mpi") < text.index("Where:") < text.index("--place")
    assert max(map(len, text.splitlines())) <= 80
    examples = re.findall(rf"^  (leadline {name}\b.*)$", text, re.MULTILINE)
    assert len(examples) >= 3


@pytest.mark.parametrize("name", ["run", "survey", "simulate"])
def test_examples_are_command_lines_that_parse(name, monkeypatch):
    command = group.get_command(click.Context(group), name)
    axes = [HeadedOption(["--bytes", "axis__bytes"])]
    monkeypatch.setattr(benchmark_command, "_axis_options", lambda *given, **how: axes)
    monkeypatch.setattr(benchmark_command, "_check", lambda *given: None)
    monkeypatch.setattr(command, "callback", lambda *args, **kwargs: None)
    for line in command._examples:
        result = CliRunner().invoke(group, line.split()[1:])
        assert result.exit_code == 0, result.output


@pytest.fixture
def complete(monkeypatch, runs):
    """Return what a shell is offered for the last of some words."""
    monkeypatch.setenv("LEADLINE_HOME", str(runs.parent))
    shell = ShellComplete(group, {}, "leadline", "_LEADLINE_COMPLETE")

    def offered(*words):
        return [each.value for each in shell.get_completions(list(words[:-1]), words[-1])]

    return offered


def test_a_shell_completes_names(complete, stored, curve, monkeypatch):
    name = stored(curve())
    monkeypatch.setattr(benchmark_command, "_axis_options", lambda *given, **how: [])
    assert complete("sur") == ["survey"]
    assert complete("show", "") == ["last", name] and complete("runs", "remove", name[:6]) == [name]
    assert "mpi/allreduce" in complete("run", "mpi/all") and "survey" in complete("run", "su")
    assert complete("simulate", "quick", "--on", "cray-x") == ["cray-xt"]
    assert complete("watch", "surv") == ["survey"]
    assert "collectives" in complete("run", "")
    assert complete("show", "--find") == ["--findings"]
    assert complete("show", "last", "--findings", "--min-sev") == ["--min-severity"]
    assert complete("run", "mpi/pingpong", "--pla") == ["--place"]


def test_a_list_of_mpis_is_completed_at_its_end_and_in_silence(monkeypatch, complete):
    monkeypatch.setattr(completion, "_mpis", lambda context: ["all", "mpich-5.0.2"])
    offered = completion.completing(lambda context: completion._mpis(context))
    assert [each.value for each in offered(None, None, "all,mp")] == ["all,mpich-5.0.2"]

    def broken(context):
        raise OSError("no disk")

    assert completion.completing(broken)(None, None, "") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_is_printed(capsys, shell):
    with pytest.raises(SystemExit) as ended:
        cli.main(["completion", shell])
    out, err = capsys.readouterr()
    assert (ended.value.code, err) == (0, "")
    assert f"_LEADLINE_COMPLETE={shell}_complete" in out


def test_every_command_has_a_manual_page(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["man", str(tmp_path)])
    assert ended.value.code == 0 and "pages are in" in capsys.readouterr().out
    page = (tmp_path / "man1" / "leadline-run.1").read_text()
    assert r"leadline\-run \- Measure benchmarks or a plan" in page
    assert r"\fB\-\-place NxP,...\fR" in page
    names = {path.stem for path in (tmp_path / "man1").iterdir()}
    assert {
        "leadline",
        "leadline-mpi-install",
        "leadline-rank-order",
        "leadline-show-plot",
    } <= names
    assert "leadline-place" not in names and len(names) > 40


def test_a_folder_that_cannot_be_written_is_refused(tmp_path, capsys):
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit) as ended:
        cli.main(["man", str(tmp_path / "file" / "below")])
    assert ended.value.code == 2 and "choose another FOLDER" in capsys.readouterr().err
