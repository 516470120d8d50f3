"""A question on a terminal, before runs are removed."""

import os
import pty
import subprocess
import sys

import pytest


@pytest.mark.parametrize(("answer", "left"), [(b"n\n", 3), (b"y\n", 2)])
def test_rm_asks_on_a_terminal(runs, answer, left):
    terminal, user = pty.openpty()
    os.write(terminal, answer)
    result = subprocess.run(
        [sys.executable, "-m", "leadline", "runs", "remove", "last", "--runs", runs],
        stdin=user, capture_output=True, text=True,
    )  # fmt: skip
    os.close(terminal)
    os.close(user)
    assert "-damaged-" in result.stdout and "Remove these runs" in result.stdout
    assert len(list(runs.iterdir())) == left
