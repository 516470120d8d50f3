"""Servers for tests, and makes `served` importable."""

import msgspec
import pytest
from served import Server, history, write_import

from leadline.model.screen import Screen, Suspect
from leadline.store.folder import RunFolder, run_paths
from leadline.store.history import keep_screen

SCREEN = Screen(
    run="first",
    nodes=("h1", "h3"),
    rounds=7,
    seconds=40.0,
    suspects=(Suspect(kind="node", name="h3", figure="bandwidth", ratio=1.25, probability=0.99),),
    levels={"h1": {"memory": 3e-3}, "h3": {"memory": 3e-3}},
    pair_levels={"h1": {"bandwidth": 2e-4}, "h3": {"bandwidth": 2.5e-4}},
)


@pytest.fixture
def serving(leadline_home):
    """Start servers that end with the test."""
    started = []

    def start(runs):
        started.append(Server(runs, leadline_home))
        return started[-1]

    yield start
    for server in started:
        server.process.kill()
        server.process.communicate()


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A folder with five runs over time, an import, and folders that cannot be read."""
    folder = tmp_path_factory.mktemp("served") / "runs"
    history(folder)
    first = run_paths(folder)[0]
    keep_screen(RunFolder(first), msgspec.structs.replace(SCREEN, run=first.name))
    write_import(folder)
    return folder


@pytest.fixture(scope="module")
def names(runs):
    """The names of the runs over time, the oldest first, and of the import."""
    return [path.name for path in run_paths(runs)]


@pytest.fixture(scope="module")
def server(runs, leadline_home):
    """A server over `runs`."""
    server = Server(runs, leadline_home)
    yield server
    server.process.kill()
    server.process.communicate()
