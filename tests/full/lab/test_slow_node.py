"""A host that turns slow while a job runs on it, as its watcher says on standard error."""

import os
import re
import signal
import subprocess
import threading
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import pytest
from programs import compiled, kill_all

from leadline.explain.job_file import read_job
from leadline.measure.build import observer_for

pytestmark = pytest.mark.mpi

PROGRAM = Path(__file__).with_name("beats.c")
# A remote shell hands on nothing, as ssh does.
SSH = '#!/bin/sh\nexec env -i PATH="$PATH" HOME="$HOME" {lab}/ssh "$@"\n'
# Until what is usual is known; how long a rank is stopped again and again, and how often.
USUAL_S = 85
STOPPED_S, EVERY_S = 0.12, 0.25


@pytest.fixture
def beats(flat, tmp_path):
    """Start the program on four hosts; return what it says, its file's folder and its launcher."""
    there = flat.installation("mpich-4")
    program = compiled(there.mpicc, PROGRAM, tmp_path, "-O1", **there.environment)
    ssh = tmp_path / "ssh"
    ssh.write_text(SSH.format(lab=flat.folder))
    ssh.chmod(0o755)
    jobs = tmp_path / "jobs"
    jobs.mkdir()
    variables = {
        "LD_PRELOAD": str(observer_for(there, print) / "libleadline-explain.so"),
        "LEADLINE_JOBS": str(jobs),
        "LEADLINE_EXPLAIN_WATCH": "10m",
        "MPIR_CVAR_POLLS_BEFORE_YIELD": "1",
    }
    given = [word for name, value in variables.items() for word in ("-genv", name, value)]
    hosts = ("-launcher-exec", ssh, "-hosts", "h0,h1,h2,h3", "-ppn", "1", "-n", "4")
    said = tmp_path / "said"
    with said.open("w") as errors:
        launched = subprocess.Popen(
            [flat.folder / "head", there.mpiexec, *hosts, *given, program, "20"],
            env={**os.environ, **there.environment}, stdin=subprocess.DEVNULL,
            stdout=errors, stderr=errors, start_new_session=True, text=True,
        )  # fmt: skip
    yield said, jobs, str(program)
    kill_all(launched, spared="leadline-watch")
    launched.wait()


def rank_on(lab, host, program):
    """Return the rank of the program on a host: one of the processes in its network."""
    holder = (lab.folder / f"{host}.pid").read_text().strip()
    network = Path(f"/proc/{holder}/ns/net").readlink()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            is_there = (process / "ns/net").readlink() == network
            if is_there and str((process / "exe").readlink()) == program:
                return int(process.name)
    raise AssertionError(f"no rank on {host}")


def slowed(pid, over):
    while not over.is_set():
        os.kill(pid, signal.SIGSTOP)
        time.sleep(STOPPED_S)
        os.kill(pid, signal.SIGCONT)
        time.sleep(EVERY_S - STOPPED_S)


def wait_for(said, text, seconds):
    until = time.monotonic() + seconds
    while text not in said.read_text():
        assert time.monotonic() < until, said.read_text()
        time.sleep(0.1)


def test_a_host_that_turns_slow_is_named_within_half_a_minute_and_so_is_its_end(flat, beats):
    said, jobs, program = beats
    time.sleep(USUAL_S)
    over = threading.Event()
    slow = threading.Thread(target=slowed, args=(rank_on(flat, "h2", program), over))
    began = datetime.now()
    slow.start()
    try:
        wait_for(said, "node h2 (rank 2) computes 1.", 30)
    finally:
        over.set()
        slow.join()
    wait_for(said, "node h2 (rank 2) computes as before since ", 30)
    (since,) = re.findall(r"x longer for each call since (\S+) .*, the other nodes do not",
                          said.read_text())  # fmt: skip
    seconds = (datetime.strptime(since, "%H:%M:%S") - began).seconds
    assert min(seconds, 86_400 - seconds) <= 6
    assert said.read_text().count("leadline: ") == 2
    (file,) = jobs.rglob("*.job")
    (node,) = read_job(file).slow
    assert node.host == "h2" and 1.3 < node.factor < 2 and node.until and not read_job(file).stuck
