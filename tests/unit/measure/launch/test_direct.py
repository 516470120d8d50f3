"""The launchers of resource managers, which are taken only where they are named."""

import pytest
from jobs import made_job

from leadline.core.errors import UserError
from leadline.measure.knobs.knob import Unsupported
from leadline.measure.launch.explain import explain
from leadline.measure.launch.slots import check_slots, exceeds_cores
from leadline.measure.launch.start import finds_nodes, launcher_for, start_for
from probes import made_installation

ROUND_ROBIN = ((0, 2), (1, 3))
FOLDED = ((0, 3), (1, 2))


def installation(family, version="1", **fields):
    return made_installation(family, version, **{"mpiexec": "mpiexec", **fields})


MPICH, INTEL, CRAY = installation("mpich"), installation("intel"), installation("cray")
OPENMPI = installation("openmpi", "4.1.4", oshcc="oshcc", oshrun="oshrun")


def job(nodes=2, processes=2, launcher="srun", **fields):
    return made_job(f"{nodes}x{processes}", launcher=launcher, **fields)


def words(job, installation=MPICH):
    return " ".join(start_for(job, installation).argv)


@pytest.mark.parametrize("name", ["srun", "pals", "flux", "aprun"])
def test_only_a_name_brings_them(name):
    assert finds_nodes(name)
    assert launcher_for(job(launcher=name), MPICH).name == name
    assert launcher_for(job(launcher=""), MPICH).name == "hydra"
    with pytest.raises(UserError, match=f"launcher {name} does not start shmem programs of mpich"):
        launcher_for(job(launcher=name, api="shmem"), MPICH)


@pytest.mark.parametrize(
    ("installation", "pmi"),
    [(MPICH, "pmi2"), (INTEL, "pmi2"), (OPENMPI, "pmix"), (CRAY, None)],
)
def test_ranks_find_each_other_as_their_library_can(installation, pmi):
    found = [word for word in words(job(), installation).split() if word.startswith("--mpi=")]
    assert found == ([f"--mpi={pmi}"] if pmi else [])


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, "--distribution=block"),
        ({"hosts": ("a", "b", "c")}, "--nodelist=a,b --distribution=block"),
        ({"ranks_by_node": ROUND_ROBIN}, "--distribution=cyclic"),
        ({"ranks_by_node": ((0, 1), (2, 3))}, "--distribution=plane=2"),
    ],
)
def test_srun_puts_ranks_where_they_belong(fields, expected):
    expected = f"--ntasks-per-node=2 {expected} --cpu-bind=cores"
    assert expected in words(job(**fields))


def test_srun_makes_any_order_where_the_library_is_told_of_it():
    given = job(hosts=("a", "b"), ranks_by_node=FOLDED)
    assert "--nodelist=a,b,b,a --distribution=arbitrary" in words(given, OPENMPI)
    with pytest.raises(Unsupported, match="PMI-2"):
        words(given, MPICH)


def test_flux_knows_two_orders():
    assert "--taskmap=cyclic" in words(job(launcher="flux", ranks_by_node=ROUND_ROBIN))
    assert "--requires=hosts:a,b" in words(job(launcher="flux", hosts=("a", "b", "c")))


@pytest.mark.parametrize("name", ["srun", "pals", "flux", "aprun"])
def test_an_order_that_cannot_be_had_is_said(name):
    with pytest.raises(Unsupported):
        words(job(launcher=name, ranks_by_node=FOLDED))


@pytest.mark.parametrize(
    ("name", "free"),
    [
        ("srun", "--cpu-bind=none"),
        ("pals", "--cpu-bind none"),
        ("flux", "cpu-affinity=off"),
        ("aprun", "-cc none"),
    ],
)
def test_ranks_are_free_where_asked(name, free):
    assert free in words(job(launcher=name, bind=False))
    assert free in words(job(launcher=name, oversubscribe=True))
    assert free not in words(job(launcher=name))


def test_variables_travel_in_the_environment():
    given = job(oversubscribe=True, interface="hsn0", environment={"A": "b"})
    environment = start_for(given, OPENMPI).environment
    assert environment["A"] == "b"
    assert environment["OMPI_MCA_mpi_yield_when_idle"] == "1"
    assert environment["UCX_NET_DEVICES"] == "hsn0"
    assert "OMPI_MCA_opal_common_ucx_opal_mem_hooks" not in environment
    shmem = start_for(job(api="shmem"), OPENMPI).environment
    assert shmem == {"OMPI_MCA_opal_common_ucx_opal_mem_hooks": "0"}


def test_nodes_and_cores_are_theirs_to_count():
    large = job(64, 128, elsewhere=True)
    check_slots(large, cores=2)
    assert not exceeds_cores(large, 2)
    assert exceeds_cores(job(64, 128, elsewhere=True, oversubscribe=True), 2)


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("srun: error: invalid partition specified: nope", "invalid partition specified: nope: `s"),
        (
            "srun: error: Unable to allocate resources: Invalid account or account/partition "
            "combination specified",
            "Invalid account or account/partition combination specified: name an account",
        ),
        (
            "slurmstepd: error: *** STEP 3.0 ON n0 CANCELLED AT 2026-11-21T14:00:00 "
            "DUE TO TIME LIMIT ***",
            "DUE TO TIME LIMIT: the job's time was over",
        ),
        ("srun: error: Node failure on n1", "Node failure on n1: a node went away"),
        (
            "srun: error: Unable to create step for job 14: More processors requested than "
            "permitted",
            "More processors requested than permitted: the job has fewer cores",
        ),
        (
            "srun: error: Couldn't find the specified plugin name for mpi/pmix looking at all "
            "files\nsrun: error: cannot find mpi plugin for mpi/pmix",
            "cannot find mpi plugin for mpi/pmix: this Slurm lacks the plugin",
        ),
        (
            "slurmstepd-n0: error: execve(): /far/probe: No such file or directory\n"
            "srun: error: n0: tasks 0-1: Exited with exit code 2",
            "execve(): /far/probe: No such file or directory: the program is missing",
        ),
        ("srun: error: n0: task 0: Segmentation fault", "n0: task 0: Segmentation fault: the pr"),
        ("srun: error: n1: tasks 0,2: Killed", "n1: tasks 0,2: Killed: somebody killed a rank"),
    ],
)
def test_what_slurm_says_is_explained(output, expected):
    assert explain("srun", output, 1).startswith(expected)


@pytest.mark.parametrize(
    ("name", "output", "expected"),
    [
        (
            "pals",
            "x3005c0s7b0n0: rank 0 died from signal 11 and dumped core",
            "the program crashed",
        ),
        ("pals", "x3005c0s7b0n0: rank 1 exited with code 255", "ended by itself"),
        ("flux", "0.085s: exit-monitor\nflux-job: task(s) exited with exit code 1", "by itself"),
        ("flux", "flux-job: task(s) Segmentation fault", "the program crashed"),
        ("aprun", "apsched: claim exceeds reservation's node-count", "fewer nodes or cores"),
        ("aprun", "PE RANK 30 exit signal Segmentation fault\n[NID 03834] ...", "crashed"),
        ("aprun", "Application 9226246 exit codes: 127", "by itself"),
        ("flux", "job.exception type=alloc severity=0 unsatisfiable request", "too few cores"),
    ],
)
def test_what_others_say_is_explained(name, output, expected):
    assert expected in explain(name, output, 1)
