"""The watchers of a job on several hosts, which meet in the folder of the job's file."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from checkout import CHECKOUT
from programs import compiled, kill_all

from leadline.measure.build import observer_for

pytestmark = pytest.mark.mpi

PROGRAM = CHECKOUT / "tests/system/explain/stands.c"
# A remote shell hands on nothing, as ssh does.
SSH = '#!/bin/sh\nexec env -i PATH="$PATH" HOME="$HOME" {lab}/ssh "$@"\n'


def test_a_hang_on_two_hosts_is_named_once(flat, tmp_path):
    there = flat.installation("mpich-4")
    program = compiled(there.mpicc, PROGRAM, tmp_path, "-O1", "-g", **there.environment)
    ssh = tmp_path / "ssh"
    ssh.write_text(SSH.format(lab=flat.folder))
    ssh.chmod(0o755)
    jobs = tmp_path / "jobs"
    jobs.mkdir()
    variables = {
        "LD_PRELOAD": str(observer_for(there, print) / "libleadline-explain.so"),
        "LEADLINE_JOBS": str(jobs),
        "LEADLINE_EXPLAIN_WATCH": "3s",
        "LEADLINE_COMMAND": str(Path(sys.executable).with_name("leadline")),
    }
    given = [word for name, value in variables.items() for word in ("-genv", name, value)]
    hosts = ("-launcher-exec", ssh, "-hosts", "h0,h1", "-ppn", "1", "-n", "2")
    said = tmp_path / "said"
    with said.open("w") as errors:
        launched = subprocess.Popen(
            [flat.folder / "head", there.mpiexec, *hosts, *given, program, "missing"],
            env={**os.environ, **there.environment}, stdin=subprocess.DEVNULL,
            stdout=errors, stderr=errors, start_new_session=True, text=True,
        )  # fmt: skip
        try:
            until = time.monotonic() + 60
            while "Look for the send" not in said.read_text():
                assert time.monotonic() < until and launched.poll() is None, said.read_text()
                time.sleep(0.1)
            time.sleep(5)
        finally:
            kill_all(launched, spared="leadline-watch")
            launched.wait()
    assert said.read_text().count("no rank has moved for") == 1
    assert "Rank 1 waits in MPI_Recv for rank 0, which is in MPI_Barrier" in said.read_text()
    until = time.monotonic() + 10
    while list(jobs.rglob("*.stands")):
        assert time.monotonic() < until
        time.sleep(0.1)
    assert [each.suffix for each in sorted(jobs.rglob("*-h0-*"))] == [".job", ".stuck"]
