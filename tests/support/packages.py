"""Commands of pip and of builds, which need the package index."""

import os

import pytest
from programs import run


def finish(*command):
    """Run a command to its end, which must be good."""
    ended = run(*command, environment=plain(), cwd="/")
    if "NewConnectionError" in ended.stderr:
        pytest.skip("the package index cannot be reached")
    assert ended.returncode == 0, ended.stdout + ended.stderr


def plain(**more):
    """The environment without what leads to the checkout's own packages."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
    return kept | more
