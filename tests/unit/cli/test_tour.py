"""`leadline tour`: its steps, and what is run of them."""

import contextlib
import shlex
import signal

import click
import pytest
from click.testing import CliRunner

from leadline.cli import group
from leadline.cli.commands import tour

STEPS = tour._steps()


@pytest.fixture
def executed(monkeypatch):
    """The command lines that a tour runs, none of which is started."""
    lines = []
    monkeypatch.setattr(tour, "_execute", lines.append)
    return lines


def _tour(*words):
    result = CliRunner().invoke(group, ["tour", *words])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.command)
def test_a_step_is_a_question_a_command_and_where_to_look(step, monkeypatch):
    assert step.question.endswith("?") and len(step.question) < 70 and len(step.look) < 90
    words = shlex.split(step.command)
    command = group.get_command(click.Context(group), words[1])
    options = {name for option in command.params for name in option.opts}
    assert words[0] == "leadline"
    assert {word for word in words if word.startswith("--")} <= options


def test_without_a_terminal_the_steps_are_printed(executed):
    text = _tour()
    assert not executed
    assert [line.split("  ", 1)[1] for line in text.splitlines() if " of 9  " in line] == [
        step.question for step in STEPS
    ]
    assert text.count("Look at: ") == len(STEPS)


def test_yes_runs_them_all(executed):
    _tour("--yes")
    assert executed == [step.command for step in STEPS]


def test_an_interrupt_is_the_steps_own_and_the_tour_goes_on(monkeypatch, capsys):
    class Interrupted(contextlib.nullcontext):
        def wait(self):
            heeded.append(signal.getsignal(signal.SIGINT))
            return 130

        def __enter__(self):
            return self

    heeded = []
    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(tour.subprocess, "Popen", lambda words: Interrupted())
    tour._execute("leadline runs")
    assert heeded == [signal.SIG_IGN] and signal.getsignal(signal.SIGINT) == before
    assert "It ended with status 130." in capsys.readouterr().out


def test_a_hint_breaks_between_words(executed, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    text = _tour()
    assert max(map(len, text.splitlines())) <= 80
    (hint,) = [line for line in text.splitlines() if "Look at: The one marked" in line]
    assert hint.endswith("unless --mpi names")


def test_a_step_is_run_skipped_or_the_last(executed, monkeypatch):
    answers = iter(["", "s", "y", "q"])
    for stream in ("stdin", "stdout"):
        terminal = type("Terminal", (), {"isatty": lambda self: True})()
        monkeypatch.setattr(tour.sys, stream, terminal, raising=False)
    monkeypatch.setattr(tour, "_answer", lambda: next(answers))
    said = []
    monkeypatch.setattr(tour.click, "echo", said.append)
    tour.command.callback(yes=False)
    assert executed == [STEPS[0].command, STEPS[2].command]
    assert sum("Look at" in line for line in said) == 3
