"""What tests of several parts have in common: their tiers, a browser, leadline's home for tests."""

import sys
from pathlib import Path

import pytest
from hypothesis import settings

# What several folders of tests share: examples, made-up runs, daemons.
sys.path.insert(0, str(Path(__file__).parent / "support"))

import chromium
import tiers

# Properties are held to what they say, not to how long a busy machine takes for an example.
settings.register_profile("leadline", deadline=None)
settings.load_profile("leadline")

WATCH = tiers.Watch()


def pytest_collection_modifyitems(items):
    """Mark each test with its tier, and have what is measured on a shared machine measured again
    before it counts as wrong.
    """
    for item in items:
        item.add_marker(tiers.tier_of_item(item))
        if item.get_closest_marker("timing"):
            item.add_marker(pytest.mark.flaky(reruns=2))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Let no file of the tier `unit` start a process when it is imported."""
    if isinstance(collector, pytest.File) and tiers.tier_of(collector.path) == "unit":
        WATCH.begin(collector.nodeid)
        try:
            return (yield)
        finally:
            WATCH.end()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Fail a test of the tier `unit` that started a process and hid it."""
    report = yield
    if call.when == "call" and report.passed and tiers.tier_of(item.path) == "unit":
        pass
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item, nextitem):
    """Let no test of the tier `unit` start a process, its fixtures included."""
    if tiers.tier_of(item.path) == "unit":
        WATCH.begin(item.nodeid)
    try:
        return (yield)
    finally:
        WATCH.end()


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """A headless Chromium for the session."""
    session = chromium.start(tmp_path_factory.mktemp("profile"))
    yield session
    session.quit()
