"""Leadline's command line in the process of the test: what it prints and how it ends."""

import contextlib
import io
import subprocess
import sys

import pytest
from command import Leadline

from leadline.cli import main


def leadline(*words: object, text: bool = True) -> subprocess.CompletedProcess:
    """Return what `leadline WORDS` does, neither of its outputs being a terminal."""
    said = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)]
    standard_input = sys.stdin
    sys.stdin = io.StringIO()
    try:
        with contextlib.redirect_stdout(said[0]), contextlib.redirect_stderr(said[1]):
            main([str(word) for word in words])
    except SystemExit as ended:
        status = ended.code or 0
    finally:
        sys.stdin = standard_input
    output, errors = (each.buffer.getvalue() for each in said)
    if text:
        output, errors = output.decode(), errors.decode()
    return subprocess.CompletedProcess(words, status, output, errors)


class InProcess(Leadline):
    """The command line over a folder of runs, without a process for each command.

    For commands of which many are tried, and which measure nothing.
    """

    def __call__(self, *words: object, **changes: str) -> subprocess.CompletedProcess[str]:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in {**self.environment, **changes}.items():
                patch.setenv(name, value)
            return leadline(*words)
