"""A machine without a batch system: processes that belong together, and the machine itself."""

from leadline.site.processes import Process
from leadline.site.schedulers.plain.jobs import jobs_of


def _process(pid, parent, share=0.5, **more):
    """A process of anna's, in a group of its own unless told otherwise."""
    facts = {"user": "anna", "name": "work", "age_s": 60.0, "group": pid, **more}
    return Process(pid=pid, parent=parent, cpu_share=share, **facts)


def _jobs(*processes, hosts=None):
    return jobs_of(processes, hosts or {}, "here")


def test_a_launcher_and_its_ranks_are_one_job():
    """Also where proxies and ranks lead groups of their own."""
    (job,) = _jobs(
        _process(1, 0, 0.0, name="systemd"),
        _process(10, 1, 0.0, name="mpiexec.hydra", command="mpiexec -n 2 ./a", age_s=70.0),
        _process(11, 10, 0.0, name="hydra_pmi_proxy"),
        _process(12, 11, 0.9, rank="0"),
        _process(13, 11, 0.8, rank="1"),
    )
    assert (job.id, job.name, job.command) == ("10", "mpiexec.hydra", "mpiexec -n 2 ./a")
    assert (job.processes, job.busy_cores, job.used_s) == (4, 1.7, 70.0)
    assert (job.phase, job.hosts, job.base_node) == ("running", ("here",), "here")


def test_a_process_group_is_a_job():
    """The busiest first; what takes nothing is no job, and neither is leadline itself."""
    first, second = _jobs(
        _process(10, 1, 0.2, group=10),
        _process(11, 10, 0.4, group=10),
        _process(20, 1, 1.0),
        _process(30, 1, 0.01),
        _process(40, 1, 1.0, is_ancestor=True),
    )
    assert [(job.id, job.processes) for job in (first, second)] == [("20", 1), ("10", 2)]


def test_a_group_whose_leader_is_gone_is_called_after_its_oldest():
    (job,) = _jobs(
        _process(11, 1, 0.4, group=10, name="late"),
        _process(12, 1, 0.4, group=10, name="early", age_s=90.0),
    )
    assert (job.id, job.name) == ("10", "early")


def test_an_idle_mpi_program_is_a_job():
    (job,) = _jobs(_process(10, 1, 0.0, name="mpirun"))
    assert job.busy_cores == 0.0


def test_parents_in_a_circle_end():
    """Numbers are used again: what is read in a while need not be a tree."""
    assert len(_jobs(_process(10, 11), _process(11, 10))) == 2


def test_hosts_of_a_virtual_cluster():
    (job,) = _jobs(
        _process(10, 1, name="mpiexec"), _process(11, 10), _process(12, 10),
        hosts={12: "h10", 11: "h2"},
    )  # fmt: skip
    assert (job.nodes, job.hosts, job.base_node) == (2, ("h2", "h10"), "h2")
