"""Makes `example_run` of the report's tests importable, and every terminal an ordinary one."""

import pytest


@pytest.fixture(autouse=True)
def ordinary_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
