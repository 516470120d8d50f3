"""What tests of several parts have in common."""

import sys
from pathlib import Path

import pytest
from hypothesis import settings

# What several folders of tests share: examples, made-up runs, daemons.
sys.path.insert(0, str(Path(__file__).parent / "support"))

import chromium

# Properties are held to what they say, not to how long a busy machine takes for an example.
settings.register_profile("leadline", deadline=None)
settings.load_profile("leadline")


def pytest_collection_modifyitems(items):
    """Have what is measured on a shared machine measured again before it counts as wrong."""
    for item in items:
        if item.get_closest_marker("timing"):
            item.add_marker(pytest.mark.flaky(reruns=2))


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """A headless Chromium for the session."""
    session = chromium.start(tmp_path_factory.mktemp("profile"))
    yield session
    session.quit()
