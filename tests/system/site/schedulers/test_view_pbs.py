"""PBS's answers in the shapes that its programs print.

The shapes are those of OpenPBS: `qstat -f -F json`, `pbsnodes -a -F json` and their texts as the
PBS Professional Reference Guide and the programs' sources have them. The values are made up.
"""

import doctest
import json

import pytest

from leadline.core.processes import ProgramOutput
from leadline.site.schedulers import job_source
from leadline.site.schedulers.pbs import jobs as pbs


def listed(key, things):
    head = {"timestamp": 1764000000, "pbs_version": "23.06.06", "pbs_server": "pbs"}
    return json.dumps({**head, key: things}, indent=4)


def job(state, name, owner, asked, **facts):
    facts = {"Job_Name": name, "Job_Owner": f"{owner}@login1", "job_state": state, **facts}
    return {**facts, "queue": "workq", **({"Resource_List": asked} if asked else {})}


ONE = {"ncpus": 1, "nodect": 1}
JOBS = listed("Jobs", {
    "40.pbs": job(
        "R", "solver", "anna", {"ncpus": 16, "nodect": 2, "walltime": "26:00:00"},
        resources_used={"cpupercent": 790, "walltime": "00:10:05"},
        exec_host="node1/0*8+node2/0*8",
        comment="Job run at Mon Nov 24 at 16:00 on (node1:ncpus=8)+(node2:ncpus=8)",
        Submit_arguments="-l select=2:ncpus=8 job.sh",
    ),
    "41.pbs": job("H", "1e5", "ben", {"ncpus": 8, "nodect": 1}),
    "42.pbs": job(
        "Q", "large", "ben", {"ncpus": 32, "nodect": 4, "walltime": "01:00:00"},
        comment="Not Running: Insufficient amount of resource: ncpus",
        executable="<jsdl-hpcpa:Executable>sleep</jsdl-hpcpa:Executable>",
        argument_list="<jsdl-hpcpa:Argument>100</jsdl-hpcpa:Argument>",
    ),
    "43[].pbs": job("B", "sweep", "anna", ONE, array="True"),
    "43[0].pbs": job("R", "sweep", "anna", ONE, exec_host="node1/1"),
    "43[1].pbs": job("Q", "sweep", "anna", ONE),
    "43[2].pbs": job("X", "sweep", "anna", None),
})  # fmt: skip
NODES = listed("nodes", {
    "node1": {
        "Mom": "node1.cluster", "state": "job-busy", "pcpus": 8, "jobs": ["40.pbs/0"],
        "resources_available": {
            "arch": "linux", "mem": "64000000kb", "ncpus": 8, "gpu_node": "True", "ngpus": 2,
            "Qlist": "workq,gpuq",
        },
        "resources_assigned": {"mem": "0kb", "ncpus": 8},
    },
    "node2": {
        "Mom": "node2.cluster", "state": "free", "pcpus": 8,
        "resources_available": {"arch": "linux", "mem": "32gb", "ncpus": 8},
        "resources_assigned": {"ncpus": 3},
    },
    "node3": {
        "state": "offline,down", "comment": "fan = broken", "resources_available": {"ncpus": 8},
    },
})  # fmt: skip

JOBS_TEXT = """Job Id: 40.pbs
    Job_Name = solver
    Job_Owner = anna@login1
    resources_used.walltime = 00:10:05
    job_state = R
    queue = workq
    exec_host = node1/0*8+no
\tde2/0*8
    Resource_List.ncpus = 16
    Resource_List.nodect = 2
    Resource_List.walltime = 26:00:00
    Variable_List = PBS_O_HOME=/home/anna,A=x
    job_state = Q

Job Id: 41.pbs
    Job_Name = 007
    Job_Owner = ben@login1
    job_state = H
    queue = workq
    Resource_List.nodect = 1

"""

NODES_TEXT = """node1
     Mom = node1.cluster
     ntype = PBS
     state = free
     pcpus = 8
     resources_available.arch = linux
     resources_available.mem = 64000000kb
     resources_available.ncpus = 8
     resources_assigned.ncpus = 0

node2
     state = down
     np = 4

"""


def test_examples_hold():
    assert doctest.testmod(pbs).attempted > 0
    assert doctest.testmod(pbs).failed == 0


def _ask(view, *words):
    return json.loads(view(*words, "--system", "pbs", "--json").stdout)


def test_jobs(view):
    view.answers("qstat", "json", JOBS)
    jobs = _ask(view, "queue")["jobs"]
    assert [(job["id"], job["phase"], job["position"]) for job in jobs] == [
        ("40.pbs", "running", None),
        ("43[0].pbs", "running", None),
        ("42.pbs", "waiting", 1),
        # Of the array that has begun one part waits: one row for all such parts.
        ("43[].pbs", "waiting", 2),
        ("41.pbs", "waiting", None),
    ]
    running, _, large, *_ = jobs
    assert (running["user"], running["queue"]) == ("anna", "workq")
    assert (running["nodes"], running["cores"]) == (2, 16)
    assert (running["hosts"], running["base_node"]) == (["node1", "node2"], "node1")
    assert (running["used_s"], running["limit_s"]) == (605, 93_600)
    assert running["command"] == "qsub -l select=2:ncpus=8 job.sh"
    assert running["reason"] == ""
    assert (large["nodes"], large["command"]) == (4, "sleep 100")
    assert large["reason"] == "Not Running: Insufficient amount of resource: ncpus"


def test_jobs_that_have_begun(monkeypatch):
    found = ProgramOutput(status=0, output=JOBS, errors="")
    monkeypatch.setattr(job_source, "ask", lambda *_: found)
    assert pbs.SOURCE.running() == {("40.pbs", "anna"), ("43[0].pbs", "anna")}


def test_nodes(view):
    view.answers("pbsnodes", "json", NODES)
    first, second, third = _ask(view, "config")["nodes"]
    assert [first["phase"], second["phase"], third["phase"]] == ["allocated", "mixed", "down"]
    assert first["queues"] == ["workq", "gpuq"]
    assert first["features"] == ["gpu_node", "2 GPUs"]
    assert (first["cores"], first["cores_in_use"]) == (8, 8)
    assert (first["memory_bytes"], second["memory_bytes"]) == (64_000_000 * 1024, 32 * 2**30)
    assert (third["note"], third["memory_bytes"]) == ("fan = broken", None)


@pytest.mark.parametrize(
    "spoilt",
    [
        JOBS.replace('"1e5"', "007"),  # as older versions write a name of digits
        JOBS[:-40],
        '{"Jobs":{"40.pbs":{"Job_Name":"a "quoted" name"}}}',
    ],
)
def test_spoilt_json_is_read_as_text_instead(view, spoilt):
    view.answers("qstat", "json", spoilt, otherwise=f"cat {view.folder}/text")
    (view.folder / "text").write_text(JOBS_TEXT)
    solver, held = _ask(view, "queue")["jobs"]
    assert (solver["phase"], solver["hosts"]) == ("running", ["node1", "node2"])
    assert (solver["used_s"], solver["limit_s"]) == (605, 93_600)
    assert (held["name"], held["phase"], held["position"]) == ("007", "waiting", None)


def test_a_pbs_without_json(view):
    """As Torque, which refuses the option."""
    for program, text in (("qstat", JOBS_TEXT), ("pbsnodes", NODES_TEXT)):
        (view.folder / program).write_text(text)
        view.program(program, f'case "$*" in *json*) exit 2;; esac; cat {view.folder}/{program}')
    assert len(_ask(view, "queue")["jobs"]) == 2
    first, second = _ask(view, "config")["nodes"]
    assert (first["phase"], first["cores"], first["cores_in_use"]) == ("idle", 8, 0)
    assert (second["phase"], second["cores"]) == ("down", 4)


QUEUES = listed("Queue", {
    "workq": {
        "queue_type": "Execution", "Priority": 10, "enabled": "True", "started": "True",
        "acl_group_enable": "True", "acl_groups": "dev",
        "resources_max": {"walltime": "24:00:00", "nodect": 4, "ncpus": 32},
        "resources_min": {"nodect": 2}, "resources_default": {"walltime": "01:00:00"},
    },
    "route": {"queue_type": "Route", "enabled": "True", "started": "True"},
    "gpuq": {"queue_type": "Execution", "enabled": "True", "started": "False"},
})  # fmt: skip
QUEUES_TEXT = """Queue: workq
    queue_type = Execution
    enabled = True
    started = True
    resources_max.walltime = 24:00:00

"""


def test_regions(view):
    """Queues that only pass jobs on are none; a node without a list serves every queue."""
    (view.folder / "queues").write_text(QUEUES)
    view.answers("qstat", "-t", JOBS, otherwise=f"cat {view.folder}/queues")
    view.answers("pbsnodes", "json", NODES)
    answer = _ask(view, "queue")
    work, gpu = answer["regions"]
    assert (work["name"], work["state"], work["open"]) == ("workq", "started", True)
    assert (work["least_nodes"], work["most_nodes"], work["most_cores"]) == (2, 4, 32)
    assert (work["most_s"], work["default_s"], work["priority"]) == (86_400, 3600, 10)
    assert work["for_whom"] == "groups dev"
    assert (work["nodes"], work["in_use"], work["down"]) == (3, 2, 1)
    assert (work["running"], work["cores"]["batch"], work["cores"]["down"]) == (2, 11, 8)
    assert (gpu["state"], gpu["open"], gpu["cores"]["others"]) == ("not started", False, 11)
    assert answer["cores"]["batch"] == 11


def test_regions_of_a_pbs_without_json(view):
    (view.folder / "queues").write_text(QUEUES_TEXT)
    (view.folder / "jobs").write_text(JOBS_TEXT)
    view.program(
        "qstat",
        f'cd {view.folder}; case "$*" in *json*) exit 2;; *-Q*) cat queues;; *) cat jobs;; esac',
    )
    (view.folder / "nodes").write_text(NODES_TEXT)
    view.program("pbsnodes", f'case "$*" in *json*) exit 2;; esac; cat {view.folder}/nodes')
    (region,) = _ask(view, "queue")["regions"]
    assert (region["name"], region["most_s"], region["nodes"]) == ("workq", 86_400, 2)


def test_jobs_are_shown_where_regions_are_not_known(view):
    (view.folder / "queues").write_text(QUEUES)
    view.answers("qstat", "-t", JOBS, otherwise=f"cat {view.folder}/queues")
    view.program("pbsnodes", "echo refused >&2; exit 1")
    answer = _ask(view, "queue")
    assert answer["jobs"]
    assert answer["regions"] == []
    assert "PBS does not answer: pbsnodes: refused" in answer["regions_unknown"]
    assert "its regions are not known: PBS does not answer" in view("queue").stdout


@pytest.mark.parametrize("nothing", ["", '{"timestamp":1764000000,"pbs_version":"23.06.06"}'])
def test_an_empty_queue(view, nothing):
    view.answers("qstat", "json", nothing)
    assert _ask(view, "queue")["jobs"] == []


def test_a_server_that_is_gone(view):
    view.program("qstat", "echo 'Connection refused' >&2; echo more >&2; exit 111")
    done = view("queue", "--system", "pbs", status=1)
    assert done.stdout == ""
    assert done.stderr == (
        "leadline: PBS does not answer: qstat: Connection refused "
        "(`qstat -B` says whether its server is up)\n"
    )


def test_pbs_is_chosen_where_its_programs_are(view):
    view.answers("qstat", "json", JOBS)
    view.program("pbsnodes", "exit 1")
    assert json.loads(view("queue", "--json").stdout)["system"] == "pbs"
