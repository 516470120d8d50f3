"""Virtual clusters for real, each in a folder of its own, where root may make them."""

import json
import os
import sys
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from checkout import CHECKOUT
from lab_possible import why_not
from programs import run

from leadline.model.installation import Installation

WORDS = [sys.executable, "-m", "leadline"]


class Lab:
    """The command line with a virtual cluster of its own.

    Probes and MPIs are those that tools/test-wheels keeps, so that they are built once.
    """

    def __init__(self, folder: Path):
        self.folder = folder / "lab"
        self.runs = folder / "runs"
        home = str(CHECKOUT / "build" / "wheels")
        self.environment = {**os.environ, "LEADLINE_LAB": str(self.folder), "LEADLINE_HOME": home}

    def call(self, *words, **changes):
        return run(*WORDS, *words, environment=self.environment, **changes)

    def __call__(self, *words):
        """Return what a command of `leadline virtual-cluster` prints, which must succeed."""
        done = self.call("virtual-cluster", *words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def refused(self, *words, **changes):
        """Prove that a command is refused in one line, and return the line."""
        done = self.call(*words, **changes)
        assert done.returncode == 2, done
        assert done.stdout == ""
        assert done.stderr.splitlines()[-1].startswith("leadline: ")
        assert "Traceback" not in done.stderr
        return done.stderr.splitlines()[-1]

    def status(self):
        return json.loads(self("status", "--json"))

    def measure(self, *words, status=0):
        """Run `leadline run` over the hosts and return its JSON."""
        hosts = ("--hosts", "lab", "--runs", self.runs, "--json")
        done = self.call("run", *words, *hosts)
        assert done.returncode == status, done.stderr
        return json.loads(done.stdout)

    def installation(self, name):
        """Return the MPI whose name begins so, or skip."""
        found = json.loads(self.call("mpi", "--json").stdout)["installations"]
        for each in found:
            if each.pop("default") is not None and each["name"].startswith(name):
                return msgspec.convert(each, Installation)
        return pytest.skip(f"no {name} here: see tools/test-packages and tools/test-wheels")

    def probed(self, name):
        """Return the full name of an MPI whose probe is built, which may take minutes, or skip."""
        full = self.installation(name).name
        built = self.call("run", "--list", "--build", "--mpi", full)
        assert built.returncode == 0, built.stderr
        return full

    def ranks(self):
        """Return the processes of the runs: launchers, daemons and ranks name their folder."""
        found = set()
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if str(self.runs) in (process / "cmdline").read_text():
                    found.add(int(process.name))
        return found

    def processes(self):
        """Return the processes in the namespaces of the cluster, and those that make them."""
        mark = f"LEADLINE_LAB_HOLDS={self.folder}".encode()
        network = {}
        holding = set()
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                network[int(process.name)] = (process / "ns" / "net").readlink()
                if mark in (process / "environ").read_bytes().split(b"\0"):
                    holding.add(int(process.name))
        inside = {network[each] for each in holding} - {Path("/proc/self/ns/net").readlink()}
        return holding | {each for each, its in network.items() if its in inside}


def made(folder, *words):
    """Yield a cluster, or skip where this kernel or container allows none; remove it at last."""
    if why := why_not():
        pytest.skip(why)
    lab = Lab(folder)
    up = lab.call("virtual-cluster", "up", *words)
    assert up.returncode == 0, up.stderr
    yield lab
    lab("down", "--yes")
    assert lab.processes() == set()


@pytest.fixture(scope="session")
def flat(tmp_path_factory):
    """Give four hosts of two cores on one switch."""
    yield from made(tmp_path_factory.mktemp("flat"), "--cores", 2, "--link", "100mbit")


@pytest.fixture(scope="session")
def islands(tmp_path_factory):
    """Give two switches of two hosts each; the link between them is as fast as a host's."""
    words = ("--cores", 2, "--link", "100mbit", "--switches", 2)
    yield from made(tmp_path_factory.mktemp("islands"), *words)


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """Give eight hosts on two switches, which the tests of a file may spoil."""
    words = ("--nodes", 8, "--cores", 1, "--link", "100mbit", "--switches", 2)
    yield from made(tmp_path_factory.mktemp("wide"), *words, "--backbone", "1gbit")


@pytest.fixture
def small(tmp_path):
    """Give a cluster that a test may spoil: two hosts, of two cores and one."""
    yield from made(tmp_path, "--nodes", 2, "--cores", "2,1", "--link", "100mbit")


@pytest.fixture
def none(tmp_path):
    """Give the command line without a cluster; what a test makes is removed."""
    if why := why_not():
        pytest.skip(why)
    lab = Lab(tmp_path)
    yield lab
    lab("down", "--yes")
