from typing import Any

import pytest

from leadline.site.doctor.checks.load import left_over_processes
from leadline.site.processes import Process

KILL = "Unless a job from another node uses them: kill "
INIT = Process(pid=1, parent=0, user="root", name="init", age_s=1e6, cpu_share=0)
SHELL = Process(pid=50, parent=1, user="me", name="bash", age_s=1e4, cpu_share=0)


def process(pid: int, parent: int, name: str, cpu_share: float = 0.0, **facts: Any) -> Process:
    values = {"user": "me", "age_s": 7200.0, **facts}
    return Process(pid=pid, parent=parent, name=name, cpu_share=cpu_share, **values)


def test_a_spinning_rank_without_a_launcher_is_left_over(made_up):
    rank = process(77, 1, "solver", 1.0, rank="3")
    result = left_over_processes(made_up(processes=(INIT, SHELL, rank)))
    assert result.status == "bad"
    assert "left over: solver (pid 77, me, 2 h old, 100% of a processor)" in result.observed
    assert result.advice == KILL + "77."
    assert result.numbers == {"left_over": 1, "running": 0, "running_leadline": 0, "spinning": 1}


@pytest.mark.parametrize("daemon", ["orted", "prted", "hydra_pmi_proxy", "pmi_proxy"])
def test_idle_daemons_are_a_warning(made_up, daemon):
    result = left_over_processes(made_up(processes=(INIT, process(78, 1, daemon))))
    assert (result.status, result.advice) == ("warn", KILL + "78.")


def test_nobody_is_told_to_kill_what_belongs_to_others(made_up):
    theirs = process(79, 1, "orted", user="ann")
    mine = process(80, 1, "orted")
    result = left_over_processes(made_up(processes=(INIT, theirs, mine)))
    assert result.advice == KILL + "80; ask ann to end theirs."


@pytest.mark.parametrize("parent", [50, 1])
@pytest.mark.parametrize("launcher", ["mpiexec", "mpirun.openmpi", "mpiexec.hydra"])
def test_a_job_whose_launcher_lives_is_running(made_up, parent, launcher):
    job = (process(60, parent, launcher), process(61, 60, "solver", 0.9, rank="0"))
    result = left_over_processes(made_up(processes=(INIT, SHELL, *job)))
    assert result.numbers["left_over"] == 0
    assert result.numbers["running"] == 2
    assert result.advice == (
        "Wait for the running job to end; if its launcher is forgotten: kill 60."
    )


def test_ranks_of_a_running_leadline_are_not_left_over(made_up):
    other = process(90, 50, "leadline")
    ranks = (
        process(91, 90, "mpiexec", tag="abc"),
        process(92, 91, "leadline-probe-mpi", 1.0, rank="0", tag="abc"),
    )
    result = left_over_processes(made_up(processes=(INIT, SHELL, other, *ranks)))
    assert result.numbers["left_over"] == 0
    assert result.numbers["running_leadline"] == 2
    assert "a running leadline: leadline-probe-mpi" in result.observed
    assert result.advice == "Wait until the other leadline is done."


def test_ranks_of_a_leadline_that_was_killed_are_left_over(made_up):
    ranks = (
        process(91, 1, "mpiexec", tag="abc"),
        process(92, 91, "leadline-probe-mpi", 1.0, rank="0", tag="abc"),
    )
    result = left_over_processes(made_up(processes=(INIT, *ranks)))
    assert result.numbers["left_over"] == 2
    assert result.advice == KILL + "91 92."


def test_children_of_a_leadline_that_is_process_one_are_its_own_job(made_up):
    leadline = process(1, 0, "leadline", is_ancestor=True)
    ranks = (process(91, 1, "mpiexec", tag="abc"),)
    assert left_over_processes(made_up(processes=(leadline, *ranks))).numbers["left_over"] == 0


def test_the_session_tells_that_a_leadline_is_gone(made_up):
    keeper = process(40, 1, "keeper", session=40)
    adopted = process(41, 40, "mpirun", session=39, tag="abc")
    inherited = process(42, 40, "mpirun", session=40, tag="abc")
    leader = process(43, 40, "mpirun", session=43, tag="abc")
    result = left_over_processes(made_up(processes=(INIT, keeper, adopted, inherited, leader)))
    assert result.advice is not None
    assert result.advice.startswith(KILL + "41;")
    assert result.numbers["running_leadline"] == 2


@pytest.mark.parametrize(("parent", "left_over"), [("sshd", 0), ("slurmstepd", 0), ("bash", 1)])
def test_a_daemon_without_a_launcher_is_left_over_unless_another_node_started_it(
    made_up, parent, left_over
):
    chain = (process(70, 1, parent), process(71, 70, "orted"))
    assert left_over_processes(made_up(processes=(INIT, *chain))).numbers["left_over"] == left_over


def test_long_lists_are_cut(made_up):
    crowd = tuple(process(100 + i, 1, "solver", i / 10, rank=str(i)) for i in range(10))
    result = left_over_processes(made_up(processes=(INIT, *crowd)))
    assert "and 6 more" in result.observed
    assert result.observed.index("pid 109") < result.observed.index("pid 108")
