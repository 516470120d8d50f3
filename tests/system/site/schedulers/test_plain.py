"""A machine without a batch system: processes that belong together, and the machine itself."""

import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import pytest

SPINS = "while True: pass"


@pytest.fixture
def spinning():
    """Give a process that takes a core, with a command line that would break a table."""
    words = [sys.executable, "-c", SPINS, "\x1b[2J two\nlines"]
    process = subprocess.Popen(words, start_new_session=True)
    yield process
    process.kill()
    process.wait()


def _until_seen(look):
    """Return what is seen once others leave the processor to what is looked for."""
    while not (seen := look()):
        time.sleep(0.1)
    return seen


def test_this_machine(view, spinning):
    """What is here without a batch system is this machine, seen as it is."""
    (job,) = _until_seen(
        lambda: [
            job
            for job in json.loads(view("queue", "--system", "plain", "--json").stdout)["jobs"]
            if job["id"] == str(spinning.pid)
        ]
    )
    assert job["processes"] == 1
    assert job["busy_cores"] <= 1.5
    assert job["command"].endswith("\x1b[2J two\nlines")
    assert job["hosts"] == [platform.node()]
    nodes = json.loads(view("config", "--system", "plain", "--json").stdout)["nodes"]
    node = nodes[0]
    assert (node["name"], node["architecture"]) == (platform.node(), platform.machine())
    assert node["memory_bytes"] == os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert node["phase"] in ("mixed", "allocated", "idle")
    assert 0 <= node["cores_in_use"] <= node["cores"] <= os.cpu_count()


def test_a_hostile_command_is_one_line(view, spinning):
    (row,) = _until_seen(
        lambda: [
            line
            for line in view("queue", "--system", "plain").stdout.splitlines()
            if line.split()[:1] == [str(spinning.pid)]
        ]
    )
    assert row.endswith("[2J two lines")
    assert "\x1b" not in row


def test_the_machine_is_what_is_left(view):
    """Programs of Slurm without a configuration are no Slurm."""
    if any(Path(f"/etc/{name}/slurm.conf").exists() for name in ("slurm", "slurm-llnl")):
        pytest.skip("this machine has a Slurm")
    view.program("squeue", "exit 1")
    assert json.loads(view("queue", "--json").stdout)["system"] == "plain"
