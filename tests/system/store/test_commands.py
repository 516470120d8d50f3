"""A question on a terminal, before runs are removed."""

import os
import pty
import shutil
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


WITHOUT = "import sys; sys.modules |= dict.fromkeys(('numpy', 'duckdb'), None)"


def test_a_list_and_what_was_shown_before_need_neither_numpy_nor_duckdb(runs):
    (complete,) = (path.name for path in runs.iterdir() if "-complete-" in path.name)
    for path in [each for each in runs.iterdir() if each.name != complete]:
        shutil.rmtree(path)

    def shown(*words, before=""):
        code = f"{before}\nfrom leadline.cli import main\nmain()"
        command = [sys.executable, "-c", code, *words, "--runs", str(runs)]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    first = shown("show", complete)
    assert shown("show", complete, before=WITHOUT) == first
    assert complete in shown("runs", before=WITHOUT)
