"""Job scripts, run by a shell as a batch system would run them, and the words of the systems."""

from pathlib import Path

import pytest

from leadline.core.errors import UserError
from leadline.site import schedulers
from leadline.site.schedulers.batch_system import Request, batch_system, batch_systems
from leadline.site.schedulers.pbs import batch as pbs
from leadline.site.schedulers.slurm import batch as slurm

SYSTEMS = Path(schedulers.__file__).parent.glob("*/batch.py")


def test_there_are_two_systems_and_no_third():
    assert [system.name for system in batch_systems()] == ["pbs", "slurm"]
    with pytest.raises(UserError, match="no batch system 'lsf': there is pbs, slurm"):
        batch_system("lsf")


@pytest.mark.parametrize("system", batch_systems(), ids=lambda system: system.name)
def test_options_come_last_so_that_they_win(system):
    request = Request(
        nodes=1, processes_per_node=2, output=Path("/o"), options=("-A mine", "-q short")
    )
    assert [line.split(maxsplit=1)[1] for line in system.directives(request)[-2:]] == [
        "-A mine",
        "-q short",
    ]
    assert not any("time" in line for line in system.directives(request))


@pytest.mark.parametrize(
    ("text", "state", "message"),
    [
        ("JobState=COMPLETED Reason=None", "complete", ""),
        ("JobState=TIMEOUT Reason=TimeLimit", "timed out", "job 7 reached its time limit"),
        ("JobState=CANCELLED Reason=None", "incomplete", "job 7 was cancelled"),
        ("JobState=CANCELLED+", "incomplete", "job 7 was cancelled"),
        ("JobState=NODE_FAIL Reason=NodeDown", "incomplete", "job 7 lost a node (NodeDown)"),
        ("JobState=OUT_OF_MEMORY", "incomplete", "job 7 used more memory than it may"),
        ("JobState=PREEMPTED", "incomplete", "job 7 was preempted by another"),
        ("JobState=FAILED Reason=NonZeroExitCode", "complete", ""),
        ("JobState=LAUNCH_FAILED Reason=x", "incomplete", "job 7 ended as LAUNCH_FAILED (x)"),
        ("JobState=UNKNOWN", "incomplete", "job 7 ended, and Slurm no longer knows how"),
    ],
)  # fmt: skip
def test_what_slurm_says_of_an_end(text, state, message):
    found = slurm.job_state("7", f"JobId=7 JobName=x {text}")
    assert found.phase == "ended"
    assert (found.outcome.state, found.outcome.message) == (state, message)


@pytest.mark.parametrize(
    ("text", "phase", "note"),
    [
        ("JobState=PENDING Reason=Resources NodeList=", "waiting", "Resources"),
        ("JobState=PENDING Reason=None ReqNodeList=a NodeList=(null)", "waiting", ""),
        ("JobState=RUNNING Reason=None ReqNodeList=(null) NodeList=n[0-1] BatchHost=n0",
         "running", "n[0-1]"),
        ("JobState=COMPLETING Reason=None NodeList=n0", "ending", "n0"),
    ],
)  # fmt: skip
def test_what_slurm_says_of_a_job_on_its_way(text, phase, note):
    found = slurm.job_state("7", f"JobId=7 {text}")
    assert (found.phase, found.note) == (phase, note)


PBS_LIMIT = "    Resource_List.walltime = 00:01:00\n    resources_used.walltime = 00:01:03\n"


@pytest.mark.parametrize(
    ("text", "state", "message"),
    [
        ("    Exit_status = 0", "complete", ""),
        ("    Exit_status = 271", "incomplete", "job 7 was cancelled"),
        (f"{PBS_LIMIT}    Exit_status = 271", "timed out", "job 7 reached its time limit"),
        ("    Exit_status = -29", "timed out", "job 7 reached its time limit"),
        ("    Exit_status = -1\n    comment = Job failed, node x2 is down", "incomplete",
         "job 7 lost a node (Job failed, node x2 is down)"),
        ("    Exit_status = -3", "incomplete", "job 7 could not run (status -3)"),
        ("    comment = deleted while it waited", "incomplete", "job 7 was cancelled"),
    ],
)  # fmt: skip
def test_what_pbs_says_of_an_end(text, state, message):
    found = pbs.job_state("7", f"Job Id: 7\n    job_state = F\n{text}\n")
    assert found.phase == "ended"
    assert (found.outcome.state, found.outcome.message) == (state, message)


def test_what_pbs_says_of_a_job_on_its_way():
    text = "Job Id: 7\n    job_state = R\n    exec_host = x1/0*4+x2/0*\n\t4\n    queue = q\n"
    assert pbs.job_state("7", text).note == "x1,x2"
    assert pbs.job_state("7", text).phase == "running"
    assert pbs.job_state("7", text.replace("= R", "= E")).phase == "ending"
