"""Leadline's command line in the process of the test: what it prints and how it ends."""

import contextlib
import io
import subprocess
import sys
from collections.abc import Mapping, Sequence

import pytest

from leadline.cli import main


def leadline(
    *words: object, text: bool = True, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess:
    """Return what `leadline WORDS` does, neither of its outputs being a terminal."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (environment or {}).items():
            patch.setenv(name, value)
        return _run(words, text)


def _run(words: Sequence[object], text: bool) -> subprocess.CompletedProcess:
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
