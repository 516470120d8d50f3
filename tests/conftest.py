"""What tests of several parts have in common."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import chromium


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """A headless Chromium for the session."""
    session = chromium.start(tmp_path_factory.mktemp("profile"))
    yield session
    session.quit()
