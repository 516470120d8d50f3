import pytest
from jobs import made_job

from leadline.core.errors import UserError
from leadline.measure.knobs.knob import Unsupported
from leadline.measure.launch.start import LAUNCHERS, launcher_for, start_for
from probes import made_installation

ALLOW_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def installation(family, version, **fields):
    return made_installation(family, version, **{"mpiexec": "mpiexec", **fields})


MPICH = installation("mpich", "4.0.2")
INTEL = installation("intel", "2021.19", environment={"I_MPI_ROOT": "/opt/impi"})
OPENMPI4 = installation("openmpi", "4.1.4", oshrun="oshrun")
OPENMPI5 = installation("openmpi", "5.0.11", oshrun="oshrun")


def job(nodes=1, processes=2, **fields):
    return made_job(f"{nodes}x{processes}", ("./probe", "--plan"), **fields)


def arguments(job, installation):
    argv = start_for(job, installation).argv
    assert argv[-2:] == ("./probe", "--plan")
    return " ".join(argv[1:-2])


@pytest.mark.parametrize(
    ("installation", "api", "name"),
    [
        (MPICH, "mpi", "hydra"),
        (installation("mvapich", "3.0"), "mpi", "hydra"),
        (INTEL, "mpi", "intel"),
        (OPENMPI4, "mpi", "openmpi4"),
        (installation("openmpi", "3.1.6"), "mpi", "openmpi4"),
        (OPENMPI5, "mpi", "openmpi5"),
        (OPENMPI4, "shmem", "oshrun"),
        (OPENMPI5, "shmem", "oshrun"),
        (installation("fake", "1", mpiexec=None), "fake", "fake"),
    ],
)
def test_exactly_one_launcher_serves(installation, api, name):
    chosen = job(api=api)
    unasked = [one for one in LAUNCHERS if one.families]
    assert [one.name for one in unasked if one.serves(installation, chosen)] == [name]


@pytest.mark.parametrize(
    ("installation", "api"),
    [(MPICH, "shmem"), (installation("openmpi", "4.1.4", mpiexec=None), "mpi"), (MPICH, "fake")],
)
def test_no_launcher_is_one_clear_line(installation, api):
    with pytest.raises(UserError, match=rf"^{installation.name} cannot start {api} pro.*$"):
        launcher_for(job(api=api), installation)


# What MPICH, Intel MPI and Open MPI 4 and 5 are told of a job.
ON_TWO_NODES = job(2, 1, hosts=("a", "b", "c"))
BY_A_SHELL = job(2, 3, hosts=("a", "b"), remote_shell="rsh", bind=False)
CROWDED = job(1, 8, oversubscribe=True)


@pytest.mark.parametrize(
    ("given", "installation", "expected"),
    [
        (ON_TWO_NODES, MPICH, "-hosts a,b -ppn 1 -bind-to core -n 2"),
        (ON_TWO_NODES, INTEL,
         "-hosts a,b -ppn 1 -genv I_MPI_PIN 1 -genv I_MPI_PIN_DOMAIN core -n 2"),
        (ON_TWO_NODES, OPENMPI4,
         "--host a:1,b:1 -x LEADLINE_TAG --map-by core --bind-to core -np 2"),
        (ON_TWO_NODES, OPENMPI5,
         "--host a:1,b:1 -x LEADLINE_TAG --map-by core --bind-to core -np 2"),
        (BY_A_SHELL, MPICH,
         "-hosts a,b -ppn 3 -launcher ssh -launcher-exec rsh -bind-to none -n 6"),
        (BY_A_SHELL, INTEL,
         "-hosts a,b -ppn 3 -bootstrap ssh -bootstrap-exec rsh -genv I_MPI_PIN 0 -n 6"),
        (BY_A_SHELL, OPENMPI4,
         "--host a:3,b:3 -x LEADLINE_TAG --mca plm_rsh_agent rsh --map-by slot --bind-to none"
         " -np 6"),
        (BY_A_SHELL, OPENMPI5,
         "--host a:3,b:3 -x LEADLINE_TAG --prtemca plm_ssh_agent rsh --map-by slot"
         " --bind-to none -np 6"),
        (CROWDED, MPICH,
         "-bind-to none -genv MPIR_CVAR_POLLS_BEFORE_YIELD 1"
         " -genv MPIR_CVAR_POSIX_POLL_FREQUENCY 1 -genv MPIR_CVAR_CH4_PROGRESS_THROTTLE 1"
         " -genv MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT 64 -genv LEADLINE_YIELD 1"
         " -n 8"),
        (CROWDED, INTEL, "-genv I_MPI_PIN 0 -genv I_MPI_THREAD_YIELD 2 -n 8"),
        (CROWDED, OPENMPI4,
         "--mca btl_tcp_if_include lo --oversubscribe --map-by slot --bind-to none"
         " --mca mpi_yield_when_idle 1 -np 8"),
        (CROWDED, OPENMPI5,
         "--mca btl_tcp_if_include lo --map-by slot:oversubscribe --bind-to none"
         " --mca mpi_yield_when_idle 1 -np 8"),
    ],
)  # fmt: skip
def test_a_job_is_told_in_each_launchers_way(given, installation, expected):
    assert arguments(given, installation) == expected


@pytest.mark.parametrize(
    ("installation", "expected"),
    [
        (MPICH, "-genv UCX_NET_DEVICES eth0 -genv FI_TCP_IFACE eth0"),
        (INTEL, "-genv FI_PROVIDER tcp -genv UCX_NET_DEVICES eth0 -genv FI_TCP_IFACE eth0"),
        (OPENMPI4, "--mca btl_tcp_if_include eth0"),
        (OPENMPI5, "--mca btl_tcp_if_include eth0"),
        (OPENMPI5, "-x UCX_NET_DEVICES=eth0"),
    ],
)
def test_the_interface_is_named_where_it_is_known(installation, expected):
    hosts = ("a", "b")
    assert expected in arguments(job(2, 1, hosts=hosts, interface="eth0"), installation)
    assert "eth0" not in arguments(job(2, 1, hosts=hosts), installation)


@pytest.mark.parametrize("installation", [MPICH, INTEL, OPENMPI4, OPENMPI5])
def test_ranks_on_hosts_that_share_cores_are_pinned_or_yield(installation):
    def started(nodes, **fields):
        shared = {"hosts": tuple("abcd"), "shared_cores": 2, "pin": ("pin",), **fields}
        return " ".join(start_for(job(nodes, 1, **shared), installation).argv)

    assert " pin ./probe " in started(2)
    assert "core" not in started(2)
    assert "yield" not in started(2).lower()
    assert " pin " not in started(2, bind=False)
    assert " pin " not in started(4)
    assert "yield" in started(4).lower()


def test_what_the_hosts_ask_for_comes_before_the_launcher():
    given = job(2, 1, hosts=("a", "b"), prefix=("in", "there"))
    assert start_for(given, MPICH).argv[:3] == ("in", "there", "mpiexec")


@pytest.mark.parametrize("installation", [MPICH, INTEL, OPENMPI4, OPENMPI5])
@pytest.mark.parametrize("bind", [True, False])
def test_nothing_is_oversubscribed_unasked(installation, bind):
    text = arguments(job(1, 8, bind=bind), installation)
    assert "oversubscribe" not in text
    assert "yield" not in text.lower()


def test_in_a_job_intel_reaches_hosts_through_the_resource_manager():
    assert "-bootstrap slurm" in arguments(job(2, 1, hosts=("a", "b"), bootstrap="slurm"), INTEL)
    by_shell = job(2, 1, hosts=("a", "b"), bootstrap="slurm", remote_shell="rsh")
    assert "-bootstrap ssh -bootstrap-exec rsh" in arguments(by_shell, INTEL)


def test_the_users_variables_win():
    given = job(bind=True, environment={"I_MPI_PIN": "0", "X": "a b=c"})
    argv = start_for(given, INTEL).argv
    assert argv[1:7] == ("-genv", "I_MPI_PIN", "0", "-genv", "I_MPI_PIN_DOMAIN", "core")
    assert argv[7:10] == ("-genv", "X", "a b=c")
    assert start_for(given, OPENMPI5).argv[10:12] == ("-x", "X=a b=c")


def test_the_installations_variables_are_kept():
    assert start_for(job(), INTEL).environment == {"I_MPI_ROOT": "/opt/impi"}
    assert start_for(job(), OPENMPI5).environment == ALLOW_ROOT


@pytest.mark.parametrize("version", ["4.1.4", "4.1.5", "4.1.6", "5.0.11"])
def test_only_crashing_versions_of_oshrun_lose_the_hook(version):
    start = start_for(job(api="shmem"), installation("openmpi", version, oshrun="oshrun"))
    crashes = version in ("4.1.4", "4.1.5")
    assert ("OMPI_MCA_opal_common_ucx_opal_mem_hooks" in start.environment) is crashes
    assert start.argv[0] == "oshrun"


FOLDED = ((0, 3), (1, 2))
ROUND_ROBIN = ((0, 2), (1, 3))
MPICH5 = installation("mpich", "5.0.2")


def ordered(ranks_by_node=FOLDED, **fields):
    hosts = ("a", "b", "c")
    return job(2, 2, hosts=hosts, folder="/run", ranks_by_node=ranks_by_node, **fields)


@pytest.mark.parametrize(
    ("installation", "expected", "file"),
    [
        (MPICH5, "-hosts a,b -rankmap 0,1,1,0 -bind-to core -n 4", None),
        (INTEL, "-machinefile /run/machinefile -genv", ("machinefile", "a:1\nb:2\na:1\n")),
        (
            OPENMPI4,
            "--host a,b,b,a -x LEADLINE_TAG --rankfile /run/rankfile --bind-to core -np 4",
            ("rankfile", "rank 0=a slot=0\nrank 1=b slot=0\nrank 2=b slot=1\nrank 3=a slot=1\n"),
        ),
        (OPENMPI5, "--host a,b,b,a -x LEADLINE_TAG --map-by seq --bind-to core -np 4", None),
    ],
)
def test_an_order_of_ranks_is_told_in_each_launchers_way(installation, expected, file):
    assert arguments(ordered(), installation).startswith(expected)
    assert start_for(ordered(), installation).files == dict([file] if file else [])


@pytest.mark.parametrize("installation", [OPENMPI4, OPENMPI5])
def test_free_ranks_of_open_mpi_are_named_host_by_host(installation):
    free = ordered(bind=False)
    assert "--map-by seq --bind-to none" in arguments(free, installation)
    assert not start_for(free, installation).files
    assert "seq" in arguments(ordered(oversubscribe=True), installation)


@pytest.mark.parametrize("version", ["4.2.3", "4.3.2", "5.0.1", "5.0.2", "5.1", "10.0"])
def test_only_an_mpich_that_keeps_to_a_rank_map_gets_one(version):
    mapped = "-rankmap" in arguments(ordered(ROUND_ROBIN), installation("mpich", version))
    assert mapped == (version in ("5.0.2", "5.1", "10.0"))


def test_an_older_hydra_takes_turns_and_says_what_it_cannot():
    assert "-hosts a,b -ppn 1 " in arguments(ordered(ROUND_ROBIN), MPICH)
    assert "-hosts b,a -ppn 2 " in arguments(ordered(((2, 3), (0, 1))), MPICH)
    with pytest.raises(Unsupported, match=r"^the mpiexec of mpich-4\.0\.2 deals ranks .* in turn"):
        start_for(ordered(), MPICH)
    with pytest.raises(Unsupported):
        start_for(ordered(), installation("mvapich", "4.1"))


@pytest.mark.parametrize("launcher", ["srun", "pals", "flux"])
def test_cray_mpich_orders_its_ranks_itself(launcher):
    cray_mpich = installation("cray-mpich", "8.1")
    start = start_for(ordered(launcher=launcher), cray_mpich)
    assert start.environment["MPICH_RANK_REORDER_METHOD"] == "3"
    assert start.environment["MPICH_RANK_REORDER_FILE"] == "/run/MPICH_RANK_ORDER"
    assert start.files == {"MPICH_RANK_ORDER": "0,3\n1,2\n"}
    assert "b,b" not in " ".join(start.argv)
