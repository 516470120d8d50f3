"""`leadline` without a command, and with one that does not exist."""

import re

import pytest

from leadline import cli
from leadline.cli import show


@pytest.fixture
def leadline(capsys, monkeypatch, tmp_path):
    """Run a command line; returns status, standard output and standard error."""
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path))

    def called(*words):
        with pytest.raises(SystemExit) as ended:
            cli.main(list(words))
        return ended.value.code, *capsys.readouterr()

    return called


def test_no_command_says_what_to_type_next(leadline, tmp_path):
    status, out, err = leadline()
    assert (status, err) == (0, "")
    assert out.startswith(f"No runs in {tmp_path / 'runs'}.\n")
    assert re.findall(r"^  (leadline [-\w ]+?)  ", out, re.MULTILINE) == [
        "leadline survey", "leadline run --list questions", "leadline --help",
    ]  # fmt: skip


def test_no_command_answers_from_the_last_run(leadline, stored, curve, monkeypatch):
    stored(curve())
    made = stored(curve())
    monkeypatch.setattr(show, "show", lambda found, **how: print(f"answer of {found.run.run}"))
    status, out, _ = leadline()
    assert status == 0
    assert re.match(rf"Last run: {made}, \d+ days? ago\.\n", out)
    assert f"\nanswer of {made}\n" in out
    assert out.endswith("  list all commands\n")


def test_a_damaged_run_does_not_hide_what_to_type(leadline, stored, curve, runs):
    (runs / stored(curve()) / "run.json").write_text("{")
    status, out, err = leadline()
    assert (status, err.count("\n")) == (0, 1) and "run.json" in err
    assert "leadline survey" in out


@pytest.mark.parametrize("name", ["view", "virtual-cluster"])
def test_a_group_alone_prints_its_help(leadline, name):
    status, out, err = leadline(name)
    assert (status, err) == (0, "")
    assert out.startswith(f"Usage: leadline {name} ") and "Commands:" in out


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("surwey", "survey"),
        ("Run", "run"),
        ("list", "runs"),
        ("help", "--help"),
        ("install openmpi", "mpi install"),
        ("view quue", "queue"),
        ("delete last", "runs"),
        ("remove last", "runs remove"),
        ("runs delete", "remove"),
    ],
)
def test_the_command_that_was_meant_is_named(leadline, words, meant):
    status, out, err = leadline(*words.split())
    assert (status, out) == (2, "")
    assert err.count("\n") == 1 and f": did you mean {meant}?" in err


def test_a_word_that_is_near_nothing_is_refused(leadline):
    status, _, err = leadline("qwertz")
    assert status == 2
    assert err == "leadline: no command 'qwertz' (`leadline --help` explains)\n"
