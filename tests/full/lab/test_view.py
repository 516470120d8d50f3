"""`leadline view` sees what runs on which host of a virtual cluster."""

import json
import os
import signal
import subprocess

from tests.full.lab.conftest import WORDS

SPIN = "while :; do :; done"


def test_a_host_that_is_busy(flat):
    words = [*WORDS, "virtual-cluster", "exec", "h2", "sh", "-c", SPIN]
    busy = subprocess.Popen(words, env=flat.environment, start_new_session=True)
    try:
        jobs = []
        while not jobs:
            seen = json.loads(flat.call("view", "queue", "--system", "plain", "--json").stdout)
            jobs = [job for job in seen["jobs"] if job["base_node"] == "h2"]
        (job,) = jobs
        assert (job["hosts"], job["nodes"]) == (["h2"], 1)
        assert SPIN in job["command"]
        nodes = json.loads(flat.call("view", "config", "--system", "plain", "--json").stdout)[
            "nodes"
        ]
        assert [node["name"] for node in nodes[1:]] == ["h0", "h1", "h2", "h3"]
        by_name = {node["name"]: node for node in nodes}
        assert by_name["h2"]["phase"] in ("mixed", "allocated")
        assert by_name["h1"]["phase"] == "idle"
        assert (by_name["h1"]["cores"], by_name["h1"]["features"]) == (2, ["link 100 Mbit/s"])
    finally:
        os.killpg(busy.pid, signal.SIGKILL)
        busy.wait()


def test_a_host_that_is_gone(small):
    small("kill", "h1")
    seen = json.loads(small.call("view", "config", "--system", "plain", "--json").stdout)
    assert [(node["name"], node["phase"]) for node in seen["nodes"][1:]] == [
        ("h0", "idle"), ("h1", "down"),
    ]  # fmt: skip
