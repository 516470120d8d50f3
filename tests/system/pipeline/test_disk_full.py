"""A disk that fills while a run measures."""

import json
import os
import subprocess

import pytest


@pytest.fixture
def small_disk(tmp_path):
    path = tmp_path / "disk"
    path.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(path)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("mounting a tmpfs needs root and a container that may mount")
    yield path
    subprocess.run(["umount", "-l", str(path)], check=True)


def test_finished_points_are_kept_and_show_says_why_it_ended(leadline, small_disk):
    # One repetition is a record of 32 bytes: the disk has room for two of these points.
    words = ("fake/transfer", "--bytes", "8,64,512,4096", "--mpi", "fake", "--launches", "2")
    exact = ("--precision", "0.0001", "--minimum", "3500", "--maximum", "3500", "--seconds", "5")
    outcome = leadline("run", *words, *exact, "--runs", small_disk / "runs", "--json")
    assert (outcome.returncode, "Traceback" in outcome.stderr) == (1, False)
    answer = json.loads(outcome.stdout)
    assert answer["outcome"]["state"] == "incomplete"
    assert "is full: free some space" in answer["outcome"]["message"]
    assert 1 <= len(answer["points"]) < 4
    assert all(point["verified"] and point["samples"] == 3500 for point in answer["points"])
    again = leadline("show", "last", "--runs", small_disk / "runs", "--json")
    assert json.loads(again.stdout) == answer
