"""Servers for tests, and makes `served` importable."""

import pytest
from job_files import put_findings
from served import Server, history, write_import

from leadline.store.folder import run_paths


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
    write_import(folder)
    return folder


@pytest.fixture(scope="module")
def names(runs):
    """The names of the runs over time, the oldest first, and of the import."""
    return [path.name for path in run_paths(runs)]


@pytest.fixture(scope="module")
def server(runs, leadline_home, tmp_path_factory):
    """A server over `runs` and a folder of jobs."""
    jobs = tmp_path_factory.mktemp("jobs")
    put_findings(jobs)
    server = Server(runs, leadline_home, "--jobs", str(jobs))
    yield server
    server.process.kill()
    server.process.communicate()
