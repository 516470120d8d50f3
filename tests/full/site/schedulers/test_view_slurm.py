"""The jobs and nodes of a real Slurm, with jobs that wait and names that would break a table."""

import json
import os
import re
import subprocess
import time
from pathlib import Path

import pytest
from slurm_daemons import THIS_MACHINE, Slurm, running

HOSTILE = 'two\nlines \x1b[31m "q" | %i \\ <|> \u202e'
LONG = "x" * 3000
ADDRESS = f"{THIS_MACHINE} RealMemory=1500 Feature=fast,ib"


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    """Give a Slurm of three nodes, of which one is drained."""
    nodes = ("n0", "n1", "n2")
    with running(Slurm(tmp_path_factory.mktemp("slurm"), nodes), address=ADDRESS) as started:
        started.ask("scontrol", "create", "partition=small", "nodes=n0", "state=up")
        started.ask("scontrol", "update", "nodename=n2", "state=drain", "reason=bad = memory")
        yield started


@pytest.fixture(scope="module")
def submitted(slurm):
    """Give the numbers of jobs: one runs on two nodes, others wait, one is held."""
    script = slurm.folder / "job.sh"
    script.write_text("#!/bin/sh\nsleep 300\n")

    def submit(*words, after=()):
        words = ("sbatch", "--parsable", "--output=/dev/null", "--exclusive", *words)
        return slurm.ask(*words, str(script), *after)

    jobs = {
        "runs": submit("--nodes=2", "--time=10", f"--job-name={HOSTILE}", after=(LONG,)),
        "next": submit("--nodes=2", "--time=1-02:00:00"),
        "array": submit("--nodes=1", "--array=0-4", "--job-name=array"),
        "small": submit("--nodes=1", "--partition=small"),
        "held": submit("--nodes=1", "--hold"),
    }
    while slurm.ask("squeue", "-h", "-o", "%r", "-j", jobs["next"]) != "Resources":
        time.sleep(0.1)
    return jobs


@pytest.fixture
def here(view, slurm):
    view.environment["SLURM_CONF"] = slurm.environment["SLURM_CONF"]
    return view


def test_jobs(here, submitted):
    answer = json.loads(here("queue", "--json").stdout)
    assert answer["system"] == "slurm"
    by_id = {job["id"]: job for job in answer["jobs"]}
    runs, following = by_id[submitted["runs"]], by_id[submitted["next"]]
    assert (runs["phase"], runs["state"]) == ("running", "RUNNING")
    assert runs["name"] == HOSTILE
    assert (runs["nodes"], runs["hosts"], runs["base_node"]) == (2, ["n0", "n1"], "n0")
    assert runs["limit_s"] == 600
    assert 0 <= runs["used_s"] < 600
    assert runs["command"].startswith("/") and runs["command"].endswith(LONG[:500])
    assert (runs["reason"], runs["position"]) == ("", None)
    assert (following["phase"], following["reason"]) == ("waiting", "Resources")
    assert (following["used_s"], following["limit_s"]) == (None, 93_600)
    assert (following["hosts"], following["base_node"], following["nodes"]) == ([], "", 2)


def test_regions(here, submitted):
    """What each partition allows and what goes on in it; the drained node is of `all` alone."""
    answer = json.loads(here("queue", "--json").stdout)
    every, small = answer["regions"]
    assert (every["name"], every["default"], every["open"]) == ("all", True, True)
    assert (every["most_s"], every["most_nodes"]) == (None, None)
    assert (every["nodes"], every["in_use"], every["drained"]) == (3, 2, 1)
    assert (every["running"], every["waiting"]) == (1, 3)
    cores = os.cpu_count()
    assert (every["cores"]["batch"], every["cores"]["drained"]) == (2 * cores, cores)
    assert (small["name"], small["nodes"], small["cores"]["others"]) == ("small", 1, cores)
    assert (small["running"], small["waiting"]) == (0, 1)
    assert answer["cores"] == {**every["cores"], "interactive": 0, "others": 0}
    assert answer["regions_unknown"] == ""
    assert f"{3 * cores} cores: {2 * cores} batch, {cores} drained" in here("queue").stdout


def test_turns(here, submitted):
    """By priority in each partition; the array is one row, and who is held has no turn."""
    jobs = json.loads(here("queue", "--state", "waiting", "--json").stdout)["jobs"]
    told = {job["id"].partition("_")[0]: (job["queue"], job["position"]) for job in jobs}
    assert told == {
        submitted["next"]: ("all", 1),
        submitted["array"]: ("all", 2),
        submitted["small"]: ("small", 1),
        submitted["held"]: ("all", None),
    }
    assert [job["id"] for job in jobs][-1] == submitted["held"]
    assert jobs[-1]["reason"] == "JobHeldUser"
    (array,) = [job for job in jobs if job["name"] == "array"]
    assert array["id"] == f"{submitted['array']}_[0-4]"


def test_table(here, submitted):
    """Each job is one line, whatever it is called, and nothing of it reaches the terminal."""
    table = here("queue").stdout
    lines = [line.split() for line in table.splitlines() if line.strip()]
    rows = [line for line in lines if line[0].partition("_")[0] in submitted.values()]
    assert len(rows) == len(submitted)
    assert lines[-1][0] == "slurm,"
    assert lines[-1][-4:] == ["1", "running,", "4", "waiting"]
    assert not {"\x1b", "\u202e"} & set(table)
    assert max(map(len, table.splitlines())) < 400


def test_what_its_user_set_for_slurm_hides_nothing(here, submitted):
    narrow = {"SQUEUE_USERS": "nobody", "SQUEUE_STATES": "PENDING", "SQUEUE_ARRAY": "1"}
    here.environment |= {**narrow, "SQUEUE_FORMAT": "%i", "SINFO_PARTITION": "small"}
    jobs = json.loads(here("queue", "--json").stdout)["jobs"]
    assert len(jobs) == len(submitted)
    assert len(json.loads(here("config", "--json").stdout)["nodes"]) == 3


def test_filters(here, submitted):
    assert "no jobs" in here("queue", "--user", "nobody-here").stdout
    running = json.loads(here("queue", "--state", "running", "--json").stdout)["jobs"]
    assert [job["id"] for job in running] == [submitted["runs"]]


def test_nodes(here, submitted):
    answer = json.loads(here("config", "--json").stdout)
    n0, n1, n2 = answer["nodes"]
    assert [node["phase"] for node in answer["nodes"]] == ["allocated", "allocated", "drained"]
    assert (n0["queues"], n1["queues"]) == (["all", "small"], ["all"])
    assert n0["features"] == ["fast", "ib"]
    assert n0["memory_bytes"] == 1500 * 2**20
    assert n0["cores_in_use"] == n0["cores"]
    assert n2["cores_in_use"] == 0
    assert n2["note"] == "bad = memory"
    # Nodes of other partitions are another kind.
    first, second = answer["kinds"]
    assert (first["nodes"], first["in_use"]) == (1, 1)
    assert (second["nodes"], second["in_use"], second["drained"]) == (2, 1, 1)
    assert second["cores_in_use"] == n1["cores"]
    assert n1["architecture"] == subprocess.check_output(["uname", "-m"], text=True).strip()


def test_kinds_and_nodes_in_tables(here, submitted):
    """Of kinds there is one line each, with --nodes one a node."""
    kinds, nodes = here("config").stdout, here("config", "--nodes").stdout
    assert len(re.findall(r"fast, ib", kinds)) == 2
    assert re.findall(r"^ (n\d) +(\w+)", nodes, re.MULTILINE) == [
        ("n0", "allocated"), ("n1", "allocated"), ("n2", "drained"),
    ]  # fmt: skip
    assert "3 nodes, 2 in use, 1 drained" in nodes


def test_a_slurm_that_is_gone(view, slurm):
    """One line and status 1, of the queue and of the nodes."""
    configuration = slurm.folder / "gone.conf"
    text = Path(slurm.environment["SLURM_CONF"]).read_text()
    configuration.write_text(text.replace("SlurmctldPort=", "MessageTimeout=2\nSlurmctldPort=1 #"))
    view.environment["SLURM_CONF"] = str(configuration)
    done = view("queue", status=1)
    (line,) = done.stderr.splitlines()
    assert line.startswith("leadline: Slurm does not answer: squeue: ")
    assert done.stdout == ""


def test_what_slurm_says_of_other_machines(view):
    """CPUs that are hardware threads, devices, and what is not known; here from a made-up sinfo."""
    says = {
        "N": "n7", "T": "mixed", "X": "2", "Y": "16", "Z": "2", "c": "64", "C": "20/44/0/64",
        "m": "1", "e": "N/A", "O": "N/A", "f": "(null)", "G": "gpu:a100:4(S:0-1),gpu:b:1",
        "P": "all*", "E": "none",
    }  # fmt: skip
    words = " ".join(f"-e 's^%{letter}^{text}^'" for letter, text in says.items())
    view.program("sinfo", f'for form; do :; done; printf %s "$form" | sed {words}')
    view.program("scontrol", "echo NodeName=n7 Arch=aarch64 CoresPerSocket=16")
    (node,) = json.loads(view("config", "--system", "slurm", "--json").stdout)["nodes"]
    assert (node["phase"], node["queues"], node["architecture"]) == ("mixed", ["all"], "aarch64")
    assert (node["sockets"], node["cores"], node["threads_per_core"]) == (2, 32, 2)
    assert node["cores_in_use"] == 10
    assert node["features"] == ["gpu:a100:4", "gpu:b:1"]
    for unknown in ("memory_bytes", "free_memory_bytes", "load", "clock_hz"):
        assert node[unknown] is None
    assert node["note"] == ""
