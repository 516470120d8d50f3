"""What tests of several parts have in common: their tiers, leadline's home, a browser."""

import os
import signal

import chromium
import kept_home
import longest_first
import pytest
import tiers
from hypothesis import HealthCheck, settings

# Fixtures of several folders.
pytest_plugins = ("command", "transparency")

# Properties are held to what they say, not to how long a busy machine takes for an example.
settings.register_profile("leadline", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("leadline")

# Tests send signals that a shell ignores for what it puts into the background, nohup for all.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

WATCH = tiers.Watch()


def pytest_configure(config):
    config.pluginmanager.register(longest_first.LongestFirst())


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark each test with its tier; have what is measured on a shared machine measured again
    before it counts as wrong.
    """
    for item in items:
        if not item.get_closest_marker("full"):
            item.add_marker(tiers.tier_of(item.path))
        if item.get_closest_marker("timing"):
            if _is_unit(item):
                raise pytest.UsageError(f"{item.nodeid} holds times: move it to tests/system")
            item.add_marker(pytest.mark.flaky(reruns=2))


def _is_unit(node):
    return tiers.tier_of(node.path) == "unit"


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Let no file in `unit` start a process when it is imported."""
    if not (isinstance(collector, pytest.Module) and _is_unit(collector)):
        return (yield)
    WATCH.begin(collector.nodeid)
    try:
        return (yield)
    finally:
        WATCH.end()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Let no test in `unit` start a process, nor its fixtures."""
    if not _is_unit(item):
        return (yield)
    WATCH.begin(item.nodeid)
    try:
        return (yield)
    finally:
        WATCH.end()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Fail a test in `unit` that started a process and hid it."""
    result = yield
    WATCH.prove_none_started()
    return result


@pytest.fixture(scope="session", autouse=True)
def leadline_home(tmp_path_factory):
    """A home of leadline's for the session, never the developer's own, and no terminal."""
    home = kept_home.make_home(tmp_path_factory.mktemp("leadline") / "home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEADLINE_HOME", str(home))
        # What is printed has the width that a test sets, not that of the developer's terminal.
        for name in ("COLUMNS", "LINES"):
            patch.delenv(name, raising=False)
        yield home


@pytest.fixture(autouse=True)
def environment_as_before(request, leadline_home):
    """Fail a test in `unit` that leaves a variable to those after it."""
    before = dict(os.environ)
    yield
    if not _is_unit(request.node):
        return
    after = dict(os.environ)
    names = {*before, *after} - {"PYTEST_CURRENT_TEST"}
    if changed := {name for name in names if before.get(name) != after.get(name)}:
        os.environ.clear()
        os.environ.update(before)
        pytest.fail(f"leaves {', '.join(sorted(changed))} changed: use monkeypatch", pytrace=False)


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """A headless Chromium for the session."""
    session = chromium.start(tmp_path_factory.mktemp("profile"))
    yield session
    session.quit()
