"""What each knob becomes with each family."""

import msgspec
import pytest

from leadline.core.errors import UserError
from leadline.measure.knobs import collectives
from leadline.measure.knobs.knob import Unsupported
from leadline.measure.knobs.known import knob_values, knobs, with_knobs
from leadline.model.job import Job, Simulation
from leadline.model.placement import Placement
from probes import made_installation

JOB = Job(program=("./probe",), placement=Placement(1, 2), folder="/run/launches/000")


def installation(family, version, device="", network="ucx ofi"):
    return made_installation(family, version, built={"device": device, "network": network})


MPICH5 = installation("mpich", "5.0.2", "ch4:ucx ofi")
MPICH4 = installation("mpich", "4.0.2", "ch4:ucx", "ucx")
INTEL = installation("intel", "2021.18.1", network="ofi")
OPENMPI4 = installation("openmpi", "4.1.4")
OPENMPI5 = installation("openmpi", "5.0.11")
OTHER = installation("mpi", "4.1", network="")


@pytest.mark.parametrize(
    ("made", "name", "value", "variables", "controls"),
    [
        (MPICH4, "wait_mode", "yield", {"MPIR_CVAR_POLLS_BEFORE_YIELD": "1"}, None),
        (MPICH5, "wait_mode", "yield",
         {"MPIR_CVAR_POLLS_BEFORE_YIELD": "1", "MPIR_CVAR_POSIX_POLL_FREQUENCY": "1"}, None),
        (INTEL, "wait_mode", "busy", {"I_MPI_THREAD_YIELD": "0"},
         {"MPIR_CVAR_IMPI_THREAD_YIELD": "0"}),
        (OPENMPI4, "wait_mode", "yield", {"OMPI_MCA_mpi_yield_when_idle": "1"},
         {"mpi_yield_when_idle": "1"}),
        (MPICH5, "eager_limit", "4K",
         {"UCX_RNDV_THRESH": "4097", "MPIR_CVAR_CH4_OFI_EAGER_THRESHOLD": "4096"},
         {"MPIR_CVAR_CH4_OFI_EAGER_THRESHOLD": "4096"}),
        (MPICH4, "eager_limit", "4K", {"UCX_RNDV_THRESH": "4097"}, {}),
        (OPENMPI5, "eager_limit", "4K",
         {"UCX_RNDV_THRESH": "4097", "OMPI_MCA_btl_tcp_eager_limit": "4224"},
         {"btl_tcp_eager_limit": "4224"}),
        (MPICH5, "shm_eager_limit", "16K",
         {"MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE": "16512",
          "MPIR_CVAR_CH4_PACK_BUFFER_SIZE": "16512",
          "MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD": "16385"}, None),
        (MPICH4, "shm_eager_limit", "16K", {"UCX_RNDV_THRESH": "16385"}, {}),
        (INTEL, "shm_eager_limit", "16K", {"I_MPI_SHM_CELL_FWD_SIZE": "16448"},
         {"MPIR_CVAR_INTEL_SHM_CELL_FWD_SIZE": "16448"}),
        (OPENMPI4, "shm_eager_limit", "16K", {"OMPI_MCA_btl_vader_eager_limit": "16512"},
         {"btl_vader_eager_limit": "16512"}),
        (OPENMPI5, "shm_eager_limit", "16K", {"OMPI_MCA_btl_sm_eager_limit": "16512"},
         {"btl_sm_eager_limit": "16512"}),
        (MPICH5, "single_copy", "off",
         {"MPIR_CVAR_CH4_CMA_ENABLE": "0", "MPIR_CVAR_CH4_XPMEM_ENABLE": "0"}, None),
        (MPICH4, "single_copy", "off", {"UCX_TLS": "^cma,xpmem,knem"}, {}),
        (OPENMPI4, "single_copy", "on", {"OMPI_MCA_btl_vader_single_copy_mechanism": "cma"},
         {"btl_vader_single_copy_mechanism": "cma"}),
        (OPENMPI5, "single_copy", "on", {"OMPI_MCA_smsc": "cma"}, {"smsc": "cma"}),
        (OPENMPI5, "single_copy", "off", {"OMPI_MCA_smsc": "^cma,xpmem,knem"},
         {"smsc": "^cma,xpmem,knem"}),
        (MPICH4, "matching", "network",
         {"UCX_RC_MLX5_TM_ENABLE": "y", "UCX_DC_MLX5_TM_ENABLE": "y"}, {}),
        (INTEL, "matching", "library", {"MPIR_CVAR_CH4_OFI_ENABLE_TAGGED": "0"}, None),
        (OTHER, "huge_pages", "on", {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}, {}),
        (MPICH5, "collective_algorithm", "allreduce:rabenseifner",
         {"MPIR_CVAR_ALLREDUCE_DEVICE_COLLECTIVE": "0",
          "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "reduce_scatter_allgather"},
         {"MPIR_CVAR_ALLREDUCE_DEVICE_COLLECTIVE": "0"}),
        (INTEL, "collective_algorithm", "allreduce:ring+bcast:13",
         {"I_MPI_ADJUST_ALLREDUCE": "8", "I_MPI_ADJUST_BCAST": "13"}, {}),
        (OPENMPI5, "collective_algorithm", "barrier:dissemination",
         {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
          "OMPI_MCA_coll_tuned_barrier_algorithm": "bruck"},
         {"coll_tuned_use_dynamic_rules": "1", "coll_tuned_barrier_algorithm": "bruck"}),
        (INTEL, "mpiio_hints", "cb_nodes=2+romio_ds_write=disable",
         {"ROMIO_HINTS": "/run/launches/000/romio-hints.txt"}, {}),
        (OPENMPI4, "mpiio_hints", "cb_nodes=2",
         {"OMPI_MCA_io_ompio_num_aggregators": "2"}, {"io_ompio_num_aggregators": "2"}),
        (installation("cray-mpich", "8.1"), "mpiio_hints", "cb_nodes=2+a=b",
         {"MPICH_MPIIO_HINTS": "*:cb_nodes=2:a=b"}, {}),
    ],
)  # fmt: skip
def test_a_value_becomes_the_familys_own(made, name, value, variables, controls):
    job = with_knobs(JOB, made, {name: value})
    assert job.environment == variables
    assert job.controls == (variables if controls is None else controls)
    assert job.program == JOB.program and job.placement == JOB.placement


def test_a_knob_changes_the_order_of_ranks_the_neighbour_and_any_variable(tmp_path):
    job = msgspec.structs.replace(JOB, placement=Placement(4, 2))
    folded = with_knobs(job, MPICH5, {"order": "folded", "beside": "incast"})
    assert folded.ranks_by_node == ((0, 7), (1, 6), (2, 5), (3, 4))
    assert folded.neighbour == "incast"
    assert with_knobs(job, MPICH5, {"order": "smp"}) == job
    assert with_knobs(JOB, MPICH5, {"order": "folded"}) == JOB
    (tmp_path / "a").write_text("export A='1 2' # why\nB=3")
    assert with_knobs(JOB, MPICH5, {"variables": str(tmp_path / "a")}).environment == {
        "A": "1 2", "B": "3",
    }  # fmt: skip


SIMGRID = installation("simgrid", "3.32", network="")
MACHINE = Simulation(platform="mine", text="", hosts=("a",), options=("smpi/os:0:0:0",))


@pytest.mark.parametrize(
    ("name", "value", "option"),
    [
        ("collective_selector", "mvapich2", "smpi/coll-selector:mvapich2"),
        ("collective_algorithm", "bcast:SMP_binomial", "smpi/bcast:SMP_binomial"),
        ("collective_algorithm", "allreduce:rabenseifner", "smpi/allreduce:rab_rdb"),
        ("eager_limit", "4K", "smpi/send-is-detached-thresh:4097"),
    ],
)
def test_a_value_becomes_an_option_of_the_simulator(name, value, option):
    knob = knobs()[name]
    job = msgspec.structs.replace(JOB, simulation=MACHINE)
    job = with_knobs(job, SIMGRID, {name: knob.canonical(value)})
    assert job.simulation.options == ("smpi/os:0:0:0", option)
    assert job.environment == {}


def test_a_real_library_has_no_selector():
    with pytest.raises(Unsupported, match="simulated"):
        with_knobs(JOB, MPICH5, {"collective_selector": "impi"})
    with pytest.raises(UserError, match="ompi, mpich"):
        knob_values("collective_selector", "default2")


def test_hints_for_romio_are_a_file_of_the_launch():
    job = with_knobs(JOB, MPICH5, {"mpiio_hints": "cb_nodes=2+romio_ds_write=disable"})
    assert job.files == {"romio-hints.txt": "cb_nodes 2\nromio_ds_write disable\n"}


def test_the_runtime_stands_before_what_the_user_preloads(monkeypatch, tmp_path):
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path))
    monkeypatch.setenv("LD_PRELOAD", "/u.so")
    monkeypatch.delenv("LEADLINE_PROFILE", raising=False)
    there = msgspec.structs.replace(MPICH5, mpicc="c", mpiexec="m")
    on = with_knobs(JOB, there, {"runtime": "on"})
    assert on.runtime
    assert on.environment == {
        "LEADLINE": "on",
        "LD_PRELOAD": f"{tmp_path}/runtime/mpich-5.0.2/libleadline.so:/u.so",
        "LEADLINE_PATIENCE": "1",
        "LEADLINE_PROFILE": f"{tmp_path}/profiles/mpich-5.0.2.toml",
    }
    assert with_knobs(JOB, there, {"runtime": "off"}).environment == {"LEADLINE": "off"}
    monkeypatch.setenv("LEADLINE_PROFILE", "/mine.toml")
    on = with_knobs(JOB, there, {"runtime": "on"})
    assert on.environment["LEADLINE_PROFILE"] == "/mine.toml"
    assert with_knobs(JOB, there, {"runtime": "/trial.toml"}).environment[
        "LEADLINE_PROFILE"
    ] == "/trial.toml"  # fmt: skip
    file = tmp_path / "some.toml"
    file.touch()
    monkeypatch.chdir(tmp_path)
    assert knob_values("runtime", "off,some.toml") == ["off", str(file)]
    with pytest.raises(UserError, match=r"some\.tml is no file: take on, off, or"):
        knob_values("runtime", "some.tml")
    with pytest.raises(Unsupported, match="no runtime"):
        with_knobs(JOB, OTHER, {"runtime": "on"})


def test_huge_pages_stand_beside_what_the_allocator_was_told():
    once = with_knobs(JOB, OTHER, {"huge_pages": "on"})
    twice = with_knobs(once, OTHER, {"huge_pages": "off"})
    assert twice.environment["GLIBC_TUNABLES"].endswith("hugetlb=1:glibc.malloc.hugetlb=0")


@pytest.mark.parametrize(
    ("made", "name", "value", "words"),
    [
        (INTEL, "eager_limit", "4K", "no variable that moves the switch"),
        (OTHER, "shm_eager_limit", "4K", "no variable that moves the switch"),
        (INTEL, "single_copy", "off", "no variable"),
        (OTHER, "matching", "network", "no network library"),
        (OTHER, "wait_mode", "busy", "it does in intel, mpich, mvapich, openmpi"),
        (OTHER, "collective_algorithm", "bcast:ring", "no algorithms of mpi"),
        (OPENMPI4, "collective_algorithm", "alltoallw:ring", "it chooses algorithms for all"),
        (OPENMPI4, "collective_algorithm", "bcast:hypercube", "for bcast it has .*knomial"),
        (INTEL, "collective_algorithm", "bcast:99", "a number from 1 to 22"),
        (OPENMPI5, "mpiio_hints", "cb_nodes=2+striping_unit=4096", "not striping_unit"),
    ],
)  # fmt: skip
def test_what_a_family_lacks_is_said(made, name, value, words):
    with pytest.raises(Unsupported, match=f"knob {name}=.* with {made.name}: .*{words}"):
        with_knobs(JOB, made, {name: value})


@pytest.mark.parametrize(
    ("name", "text", "values"),
    [
        ("eager_limit", "16384,default,16K,100", ["16K", "default", "100"]),
        ("shm_eager_limit", "1M", ["1M"]),
        (
            "collective_algorithm",
            "Allreduce:Ring+bcast:binomial",
            ["allreduce:ring+bcast:binomial"],
        ),
        ("mpiio_hints", "a=b+c=d", ["a=b+c=d"]),
        ("single_copy", "off,on", ["off", "on"]),
    ],
)
def test_values_have_one_spelling(name, text, values):
    assert knob_values(name, text) == values


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("eager_limit", "big", "not a whole number"),
        ("shm_eager_limit", "0", "1 byte or more"),
        ("single_copy", "maybe", "take on or off"),
        ("matching", "hardware", "take network or library"),
        ("collective_algorithm", "ring", "write COLLECTIVE:ALGORITHM"),
        ("mpiio_hints", "cb_nodes", "not KEY=VALUE"),
        ("mpiio_hints", "cb_nodse=4", r"no hint 'cb_nodse': did you mean cb_nodes\?"),
        ("huge_pages", "", "take on or off"),
    ],
)
def test_what_is_no_value_is_told(name, text, words):
    with pytest.raises(UserError, match=f"knob {name}={text}: .*{words}"):
        knob_values(name, text)


def test_every_knob_says_what_it_is():
    for name, knob in knobs().items():
        assert name == knob.name
        assert knob.summary and knob.values and len(knob.summary) < 100


@pytest.mark.parametrize("family", ["mpich", "openmpi", "intel"])
def test_translated_algorithms_are_among_those_offered(family):
    for collective, own in collectives.offers(family).items():
        for theirs in own.get("ours", {}).values():
            known = theirs in own.get("offers", ()) or int(theirs) <= own["numbers"]
            assert known, f"{family} {collective} {theirs}"
