"""A question on a terminal, before runs are removed."""

import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Make = Callable[..., "Measured"]  # noqa: F821 - the fixture's own class


@pytest.fixture
def runs(measured: Make) -> Path:
    """Three runs: a complete one, one whose leadline was killed, one that is damaged."""
    complete = measured(name="complete")
    complete.launch(0)
    complete.launch(1)
    complete.finish()
    killed = measured(name="killed")
    killed.launch(0, cut_after=2, known=False)
    killed.folder.close()
    damaged = measured(name="damaged").finish()
    (damaged.path / "run.json").write_text("{")
    return damaged.path.parent


@pytest.mark.parametrize(("answer", "left"), [(b"n\n", 3), (b"y\n", 2)])
def test_rm_asks_on_a_terminal(runs: Path, answer: bytes, left: int) -> None:
    terminal, user = pty.openpty()
    os.write(terminal, answer)
    result = subprocess.run(
        [sys.executable, "-m", "leadline", "rm", "last", "--runs", runs],
        stdin=user, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    os.close(terminal)
    os.close(user)
    assert "-damaged-" in result.stdout and "Remove these runs" in result.stdout
    assert len(list(runs.iterdir())) == left
