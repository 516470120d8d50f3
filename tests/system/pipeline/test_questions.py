"""The question before a long run, asked and answered on a terminal."""

import fcntl
import os
import pty
import subprocess
import termios
import time
from pathlib import Path

import pytest
from command import WORDS

# Three launches of 2000 s at most.
LONG = ("run", "fake/transfer", "--mpi", "fake", "--bytes", "8", "--seconds", "2000")


def until_asleep(pid):
    """Wait until a process waits: a signal between its question and its wait would be lost."""
    stat = Path(f"/proc/{pid}/stat")
    while stat.read_text().rpartition(")")[2].split()[0] != "S":
        time.sleep(0.01)


@pytest.fixture
def on_a_terminal(leadline):
    """Answer the command's first question; return its exit status and all that was on screen."""

    def run(*words, question, answer):
        user, terminal = pty.openpty()
        process = subprocess.Popen(
            [*WORDS, *words, "--runs", str(leadline.runs)],
            env={**leadline.environment, "TERM": "dumb"},
            stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(terminal)
        with os.fdopen(user, "rb", buffering=0) as screen:
            seen = b""
            try:
                while data := screen.read(4096):
                    asked = question in seen
                    seen += data
                    if question in seen and not asked:
                        until_asleep(process.pid)
                        os.write(user, answer)
            except OSError:  # how Linux ends a terminal that nobody has open any more
                pass
        return process.wait(60), seen.decode().replace("\r", "")

    return run


@pytest.mark.parametrize(
    ("answer", "status", "says"),
    [
        (b"n\n", 2, "\nleadline: nothing is measured\n"),
        (b"\x03", 130, "\nleadline: interrupted\n"),
        (b"\x04", 130, "\nleadline: interrupted\n"),
    ],
    ids=["no", "ctrl-c", "end-of-file"],
)
def test_a_long_run_starts_only_where_that_is_wanted(leadline, on_a_terminal, answer, status, says):
    ended, screen = on_a_terminal(*LONG, question=b"Start? [Y/n]: ", answer=answer)
    assert (ended, screen[-len(says) :]) == (status, says)
    assert "3 measurements take up to 1.7 hours: --quick" in screen
    assert "Traceback" not in screen
    assert not leadline.runs.exists() or not list(leadline.runs.iterdir())


def test_a_long_run_that_is_wanted_measures(leadline, on_a_terminal):
    ended, screen = on_a_terminal(*LONG, question=b"Start? [Y/n]: ", answer=b"\n")
    assert ended == 0 and len(list(leadline.runs.iterdir())) == 1
    assert "Invented transfer, 8 B" in screen
