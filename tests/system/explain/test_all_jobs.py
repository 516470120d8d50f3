"""All jobs of a site read by several processes, and interrupted."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from job_files import even, late, write_job

_WORDS = [sys.executable, "-m", "leadline", "jobs"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("jobs")
    now = time.time()
    for number in range(1500):
        ranks = late(16, late=(5,)) if number == 777 else even(16)
        write_job(folder / f"{number}.job", ranks, began=now - 9000 - number, job=str(number))
    (folder / "1500.job").write_text("leadline-job 1\nforged\n")
    return folder


def test_several_processes_read_what_one_reads(site, tmp_path):
    environment = os.environ | {"LEADLINE_HOME": str(tmp_path)}
    said = [
        subprocess.run(
            [*_WORDS, str(site), "--json"], env=environment, capture_output=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert said[0] == said[1]  # read from the files, and from what was kept
    found = json.loads(said[0])
    assert len(found["jobs"]) == 1500 and found["refused"]["files"] == 1
    assert (found["jobs"][0]["job"], found["jobs"][0]["cause"][:11]) == ("777", "rank 5 late")


def test_an_interrupt_ends_all_processes_with_one_line(site, tmp_path):
    environment = os.environ | {"LEADLINE_HOME": str(tmp_path)}
    process = subprocess.Popen(
        [*_WORDS, str(site)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        process_group=0,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not _children(process.pid) and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err.strip()) == (130, b"", b"leadline: interrupted")
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


def _children(process):
    try:
        with open(f"/proc/{process}/task/{process}/children") as file:  # noqa: PTH123
            return file.read()
    except OSError:
        return ""
