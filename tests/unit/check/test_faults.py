"""Each rule on observations of real launches, and on changes of these for larger machines."""

import shlex

import msgspec
import pytest
import wording
from observed import HEALTHY, changed, each_rank, found, observed

from leadline.check.faults import RULES, find_faults
from leadline.check.observation import Connection, OtherProgram, Thread

replace = msgspec.structs.replace
CORES = tuple(range(8))


def larger(seen, **ranks):
    """Return the observation on a host of eight cores, two NUMA nodes, two threads a core."""
    machine = {
        "online": CORES,
        "allowed": CORES,
        "core_of": {cpu: f"{cpu % 4},{cpu % 4 + 4}" for cpu in CORES},
        "node_of": {cpu: cpu % 4 // 2 for cpu in CORES},
    }
    return changed(seen, machine=machine, ranks=ranks)


def with_variables(seen, **variables):
    return each_rank(
        seen, lambda _, rank: replace(rank, environment={**rank.environment, **variables})
    )


def first_threads(seen, **fields):
    def change(_, rank):
        return replace(rank, threads=(replace(rank.threads[0], **fields), *rank.threads[1:]))

    return each_rank(seen, change)


@pytest.mark.parametrize("name", HEALTHY)
def test_nothing_is_wrong_with_a_healthy_launch(name):
    assert found(observed(name)) == {}


RECORDED = {
    "one-core": ("cores_shared", "mpiexec.mpich -bind-to core -n 2 ./ex.mpich4 60"),
    "wrong-launcher": ("wrong_launcher", "/usr/bin/mpiexec.mpich -n 2 ./ex.mpich4 60"),
    "tcp": ("tcp_inside_node", "mpiexec.openmpi --mca pml ob1 -n 2 ./ex.ompi4 60"),
    "squeezed": (
        "threads_squeezed",
        "mpiexec.openmpi --map-by slot:PE=2 --bind-to core -n 1 ./ex.ompi4 60",
    ),
    "crowded": ("oversubscribed", "mpiexec.openmpi --oversubscribe -n 2 ./ex.ompi4 60"),
    "libraries": ("libraries_differ", "mpiexec.mpich -n 1 ./ex.mpich4 60 : -n 1 ./ex.mpich4 60"),
}


@pytest.mark.parametrize(
    ("lacks", "kind"),
    [
        ({"shared_memory_free_bytes": 1 << 20}, "shared_memory_small"),
        ({"shared_memory_read_only": True}, "shared_memory_read_only"),
    ],
)
def test_ranks_without_room_for_shared_memory_have_no_other_fault_by_their_tcp(lacks, kind):
    chosen = changed(observed("tcp"), ranks=lacks)
    assert list(found(chosen)) == [kind, "tcp_inside_node"]
    assert list(found(changed(chosen, ranks={"environment": {}}))) == [kind]


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_fault_is_the_one_that_is_found(name):
    kind, fix = RECORDED[name]
    faults = found(observed(name))
    assert list(faults) == [kind]
    assert faults[kind].fix == fix


def squeezed_pair():
    def two(_, rank):
        busy = tuple(replace(each, wanted=0.9) for each in rank.threads[:2])
        return replace(rank, threads=busy)

    return each_rank(observed("healthy-openmpi4"), two)


def pinned():
    seen = with_variables(observed("one-core"), OMP_PROC_BIND="close")
    return replace(seen, command=seen.command[3:])


def far():
    memory = {0: 200 << 20, 1: 10 << 20}
    return larger(observed("healthy-mpich4"), cores=(2, 3), memory_bytes=memory)


def hardware_threads():
    seen = larger(observed("healthy-openmpi5"))
    return each_rank(seen, lambda place, rank: replace(rank, cores=(4 * place,)))


def away(**fields):
    seen = observed("healthy-openmpi5")
    moved = Connection(rank=0, address="10.0.0.2", moved_bytes=50 << 20)
    return changed(
        replace(seen, size=4, connections=(moved,)), machine={"rdma": ("mlx5_0",)}, **fields
    )


def apart():
    def own(place, rank):
        return replace(rank, namespaces={**rank.namespaces, "ipc": f"ipc:[{place}]"})

    return each_rank(observed("healthy-mpich4"), own)


def other_programs():
    seen = first_threads(observed("healthy-mpich4"), wanted=1.0, ran=0.4)
    other = OtherProgram(command="cc1plus", pid=77, user="anna", cores=1.1)
    return changed(seen, machine={"others": (other,)})


def failed(words):
    """A launch that ended before a rank was seen."""
    seen = observed("healthy-mpich5")
    command = ("mpiexec", "-n", "2", "./a")
    return replace(seen, command=command, ranks=(), launcher="", status=16, output=words,
                   mpiexec="/m/mpiexec")  # fmt: skip


MISSING = (
    "./a: error while loading shared libraries: libmpi.so.40: cannot open shared object file: "
    "No such file or directory"
)
OLDER = (
    "./a: /lib/libfabric.so.1: version `FABRIC_1.9' not found (required by /opt/lib/libmpi.so.40)"
)

UNDEFINED = "./a: symbol lookup error: /lib/libmpi_cxx.so.40: undefined symbol: ompi_errors"


MADE = {
    "library_not_loaded": (
        lambda: replace(failed(MISSING), library_folder="/opt/lib"),
        "env LD_LIBRARY_PATH=/opt/lib mpiexec -n 2 ./a",
    ),
    "threads_squeezed": (squeezed_pair, "-x OMP_NUM_THREADS=1"),
    "threads_pinned_together": (pinned, "-bind-to core"),
    "cpu_quota": (
        lambda: changed(
            observed("healthy-mpich5"),
            ranks={
                "quota_cores": 0.5, "quota_file": "/sys/fs/cgroup/a/cpu.max", "throttled_s": 1.0,
            },
        ),
        "echo max | sudo tee /sys/fs/cgroup/a/cpu.max",
    ),
    "memory_lock": (
        lambda: changed(
            observed("healthy-mpich4"),
            ranks={"lock_limit_bytes": 65536, "lock_most_bytes": None},
            machine={"lock_limit_bytes": None},
        ),
        "prlimit --memlock=unlimited ./ex.mpich4",
    ),
    "single_copy_refused": (
        lambda: changed(
            observed("healthy-openmpi4"), machine={"reading_error": 1, "ptrace_scope": 2}
        ),
        "sudo sysctl kernel.yama.ptrace_scope=0",
    ),
    "namespaces_apart": (apart, "Start one container"),
    "shared_memory_small": (
        lambda: changed(
            observed("healthy-mpich4"),
            ranks={"shared_memory_bytes": 64 << 20, "shared_memory_free_bytes": 1 << 20},
        ),
        "sudo mount -o remount,size=128m /dev/shm",
    ),
    "shared_memory_read_only": (
        lambda: changed(observed("healthy-mpich4"), ranks={"shared_memory_read_only": True}),
        "sudo mount -o remount,rw /dev/shm",
    ),
    "collectives_forced": (
        lambda: with_variables(
            observed("healthy-mpich4"), MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM="smp"
        ),
        "env -u MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM mpiexec.mpich",
    ),
    "yields_for_nothing": (
        lambda: with_variables(observed("healthy-openmpi4"), OMPI_MCA_mpi_yield_when_idle="1"),
        "env -u OMPI_MCA_mpi_yield_when_idle mpiexec.openmpi",
    ),
    "low_priority": (
        lambda: first_threads(observed("healthy-mpich4"), nice=10),
        "sudo renice -n 0 -p",
    ),
    "traced": (lambda: changed(observed("healthy-mpich4"), ranks={"tracer": 99}), "kill 99"),
    "memory_far": (far, "numactl --localalloc ./ex.mpich4"),
    "swapped": (
        lambda: changed(observed("healthy-mpich4"), ranks={"swapped_bytes": 8 << 20}),
        "mpiexec.mpich -n 1 ./ex.mpich4",
    ),
    "network_unused": (away, "Install an MPI"),
    "hardware_threads_shared": (hardware_threads, "--map-by core --bind-to core"),
    "other_programs": (other_programs, "sudo renice -n 19 -p 77"),
    # Without them here each rule has a real launch above.
    **{kind: (lambda name=name: observed(name), fix) for name, (kind, fix) in RECORDED.items()
       if kind != "threads_squeezed"},
}  # fmt: skip


def test_every_rule_has_a_case():
    assert {rule.__name__ for rule in RULES} == set(MADE)


@pytest.mark.parametrize("kind", MADE)
def test_a_fault_is_named_with_its_fix(kind):
    make, fix = MADE[kind]
    faults = found(make())
    assert kind in faults
    assert fix in faults[kind].fix
    # What the loader ends is no rank yet.
    assert bool(faults[kind].ranks) != (kind == "library_not_loaded")


@pytest.mark.parametrize("kind", MADE)
def test_texts_are_plain(kind):
    for fault in found(MADE[kind][0]()).values():
        assert list(wording.faults(fault.text)) == []
        assert fault.text.endswith(".")
        assert all(list(wording.faults(each)) == [] for each in fault.evidence)
        assert "\n" not in fault.fix
        if not fault.fix.endswith("."):
            assert shlex.split(fault.fix)


def test_single_copies_are_refused_by_a_setting_that_the_fix_removes():
    seen = with_variables(
        observed("healthy-openmpi4"), OMPI_MCA_btl_vader_single_copy_mechanism="none"
    )
    fault = found(seen)["single_copy_refused"]
    assert fault.fix.startswith("env -u OMPI_MCA_btl_vader_single_copy_mechanism mpiexec.openmpi")


def test_single_copies_are_refused_where_the_library_says_so():
    words = "[n1:14372] Read -1, expected 65536, errno = 1"
    fault = found(changed(observed("healthy-openmpi4"), output=words))["single_copy_refused"]
    assert any("errno = 1" in each for each in fault.evidence)


def test_yama_that_libraries_may_ask_for_leave_is_no_fault():
    asked = {"reading_error": 1, "ptrace_scope": 1}
    seen = changed(observed("healthy-openmpi4"), machine=asked)
    assert found(seen) == {}
    refused = replace(seen, output="not available due to restrictive ptrace settings")
    assert "sysctl" in found(refused)["single_copy_refused"].fix


def test_tcp_between_hosts_that_share_a_machine_is_no_fault():
    def own(place, rank):
        return replace(rank, namespaces={**rank.namespaces, "uts": f"uts:[{place}]"})

    assert found(each_rank(observed("tcp"), own)) == {}


def test_a_rank_that_ended_before_its_views_were_read_is_not_apart():
    def ended(place, rank):
        return replace(rank, namespaces={}) if place else rank

    assert found(each_rank(observed("healthy-mpich4"), ended)) == {}


def test_a_filter_that_only_the_ranks_have_is_likely_to_refuse():
    fault = found(changed(observed("healthy-openmpi4"), ranks={"seccomp": 2}))
    assert "likely" in fault["single_copy_refused"].text


def test_a_filter_that_leadline_has_too_is_tried_and_no_fault_where_it_works():
    seen = changed(observed("healthy-openmpi4"), ranks={"seccomp": 2}, machine={"seccomp": 2})
    assert found(seen) == {}


def test_tcp_to_other_hosts_is_no_fault_without_a_faster_network():
    assert found(changed(away(), machine={"rdma": ()})) == {}
    opened = away(ranks={"devices": ("/dev/infiniband/uverbs0",)})
    assert "network_unused" not in found(opened)


def test_wiring_by_tcp_is_no_fault():
    seen = observed("healthy-mpich4")
    wired = Connection(rank=0, other=1, address="10.0.0.1", moved_bytes=2000)
    assert found(replace(seen, connections=(wired,))) == {}


def test_slurm_without_pmi_starts_ranks_of_one():
    seen = observed("wrong-launcher")
    environment = {"SLURM_PROCID": "0", "SLURM_STEP_ID": "0"}
    seen = changed(
        replace(
            seen, launcher="srun", command=("srun", "--mpi=none", "-n", "2", "./ex.mpich4", "60")
        ),
        ranks={"environment": environment},
    )
    fault = found(seen)["wrong_launcher"]
    assert fault.fix == "srun --mpi=pmi2 -n 2 ./ex.mpich4 60"


def test_ranks_on_one_core_of_many_are_bound_anew_by_each_launcher():
    for name, words in {
        "healthy-mpich5": "-bind-to core",
        "healthy-openmpi4": "--map-by core --bind-to core",
    }.items():
        fault = found(larger(observed(name), cores=(3,)))["cores_shared"]
        assert words in fault.fix
        assert fault.text == "2 ranks share core 3, while 7 other cores are free."


def test_a_shell_on_one_core_is_what_is_mended():
    seen = changed(observed("one-core"), machine={"allowed": (0,)})
    assert found(seen)["oversubscribed"].fix == "taskset -cp 0,1 $$"


def test_idle_helper_threads_do_not_oversubscribe():
    def helped(_, rank):
        idle = tuple(Thread(thread=each, cores=rank.cores, wanted=0.1) for each in range(20, 30))
        return replace(rank, threads=(*rank.threads, *idle))

    assert found(each_rank(observed("healthy-mpich5"), helped)) == {}


def test_threads_that_were_asked_for_and_do_nothing_are_no_fault():
    assert found(with_variables(observed("healthy-openmpi4"), OMP_NUM_THREADS="8")) == {}


def test_two_mpi_libraries_in_a_rank():
    seen = observed("healthy-mpich4")
    other = observed("healthy-openmpi4").ranks[0].mpi
    both = each_rank(seen, lambda _, rank: replace(rank, libraries=(*rank.libraries, *other)))
    assert "two MPI libraries" in found(both)["libraries_differ"].text


def test_a_rule_that_fails_is_named_and_hides_no_other():
    def cores_shared(seen, command):
        raise ValueError("a line of some kernel")

    seen = with_variables(observed("one-core"), OMPI_MCA_x="1")
    rest = [rule for rule in RULES if rule.__name__ != "cores_shared"]
    faults, failed = find_faults(seen, [cores_shared, *rest])
    assert failed == ("cores_shared (ValueError: a line of some kernel)",)
    assert faults == ()


def test_a_launcher_that_the_library_does_not_know():
    words = (
        "check_MPIR_CVAR_PMI_VERSION(167): Runtime environment uses unsupported PMI version PMIx."
    )
    fault = found(failed(words))["wrong_launcher"]
    assert fault.evidence == ('the program wrote "unsupported PMI version PMIx"',)
    assert fault.fix == "/m/mpiexec -n 2 ./a"


def test_an_mpi_that_aborts_where_single_copies_are_refused():
    words = "MPIDI_CMA_copy_data(68):\ncopy_iovs(224): process_vm_readv failed (errno 1)"
    fault = found(failed(words))["single_copy_refused"]
    assert fault.fix == "env MPIR_CVAR_CH4_CMA_ENABLE=0 mpiexec -n 2 ./a"


def test_a_library_that_is_nowhere():
    fault = found(failed(MISSING))["library_not_loaded"]
    assert fault.fix.startswith("Load the module")
    assert list(wording.faults(fault.fix)) == []


def test_a_library_that_is_too_old():
    fault = found(failed(OLDER))["library_not_loaded"]
    assert "libfabric.so.1 lacks FABRIC_1.9" in fault.text
    assert fault.fix.startswith("Put the folder of the libfabric.so.1")


def test_a_library_of_another_release():
    fault = found(failed(UNDEFINED))["library_not_loaded"]
    assert fault.text == (
        "A rank does not start: no library has ompi_errors, which libmpi_cxx.so.40 needs."
    )
    assert fault.fix.startswith("Put the folder of the libraries that belong to /lib/libmpi_cxx")
    assert list(wording.faults(fault.fix)) == []


def test_a_symbol_that_a_program_does_without():
    seen = replace(observed("healthy-openmpi5"), output=UNDEFINED)
    assert "library_not_loaded" not in found(seen)


def test_a_library_that_the_command_itself_leads_to():
    words = ("mpiexec", "-n", "2", "env", "LD_PRELOAD=/tmp/libmpi.so.40", "./a")
    seen = replace(observed("healthy-openmpi5"), command=words, output=OLDER)
    assert found(seen)["library_not_loaded"].fix == "mpiexec -n 2 ./a"


@pytest.mark.parametrize("kind", ["cpu_quota", "single_copy_refused", "other_programs"])
def test_root_needs_no_sudo(kind):
    make, fix = MADE[kind]
    assert "sudo " in found(make())[kind].fix
    as_root = found(changed(make(), machine={"is_root": True}))[kind].fix
    assert fix.replace("sudo ", "") in as_root
    assert "sudo" not in as_root
