"""OpenSHMEM for real: messages between PEs, and puts of all sizes by all checks."""

import itertools
import json
import subprocess

import numpy as np
import pytest

pytestmark = pytest.mark.mpi

SENDER, RECEIVER = 0, 1
SIZES = (8, 80, 800, 8000, 80000, 800000, 8000000)
CHECKS = ("flag", "all")  # `last` may find wrong data wherever memory is copied out of order
# No shared memory: PEs cannot address each other's, as if each had a node of its own.
NETWORK = {"UCX_TLS": "tcp,self"}


def point(size, check, start="default", cache="warm", kind="blocking", unit="byte", stride=1):
    call = f"kind={kind} unit={unit} stride={stride}"
    return f"put bytes={size} check={check} {call} start={start} cache={cache}"


def points_of(benchmark, **axes):
    """Return the points of all values of the axes together."""
    every = itertools.product(*(str(values).split(",") for values in axes.values()))
    words = [" ".join(map("=".join, zip(axes, values, strict=True))) for values in every]
    return [f"{benchmark} {each} start=default cache=warm" for each in words]


@pytest.mark.parametrize("processes", [1, 2, 3, 4])
def test_messages_arrive_whole_and_without_deadlock(launch, messages, processes):
    ended = launch(messages, processes=processes)
    assert (ended.returncode, ended.stdout) == (0, f"{processes} PEs on 1 nodes\n"), ended.stderr


def test_messages_over_a_network_between_nodes(launch, messages):
    ended = launch(messages, "100", processes=3, **NETWORK)
    assert (ended.returncode, ended.stdout) == (0, "3 PEs on 3 nodes\n"), ended.stderr


def test_describe_needs_no_launcher(probe):
    said = subprocess.run([*probe, "--describe"], capture_output=True, check=True)
    description = json.loads(said.stdout)
    assert description["transport"] == "shmem"
    put = next(each for each in description["benchmarks"] if each["name"] == "shmem/put")
    assert [series["name"] for series in put["series"]] == ["sender", "receiver"]
    assert {axis["name"] for axis in put["axes"]} == {"bytes", "check", "kind", "unit", "stride"}


def test_every_check_at_every_size(measure):
    points = [point(size, check) for check in CHECKS for size in SIZES]
    outcome = measure(*points)
    assert outcome.returncode == 0, outcome.stderr
    done = outcome.each("point")
    assert len(done) == len(points)
    assert all(each["verified"] for each in done)
    assert [each["bytes"] for each in done] == list(SIZES) * len(CHECKS)
    for each in done:
        samples = outcome.samples[outcome.samples["point"] == each["point"]]
        for series, peer in ((SENDER, RECEIVER), (RECEIVER, SENDER)):
            own = samples[samples["series"] == series]
            assert len(own) == each["repetitions"]
            assert set(own["rank"]) == {series}
            assert set(own["peer"]) == {peer}
            assert (own["seconds"] > 0).all()


@pytest.mark.parametrize("start", ["agreed", "barrier"])
def test_each_start_is_used_as_asked(measure, start):
    outcome = measure(point(80, "flag", start=start))
    assert [each["start"] for each in outcome.each("point")] == [start]
    assert outcome.each("point")[0]["batch"] == 1


def test_cold_buffers_use_the_symmetric_heap(measure):
    points = [point(size, "all", cache="cold") for size in (8, 80000)]
    outcome = measure(*points, SHMEM_SYMMETRIC_HEAP_SIZE="1536M")
    assert outcome.returncode == 0, outcome.stderr
    assert [each["verified"] for each in outcome.each("point")] == [True, True]


def test_over_a_network_the_data_are_right_too(measure):
    outcome = measure(*(point(80000, check) for check in CHECKS), **NETWORK)
    assert outcome.returncode == 0, outcome.stderr
    assert [each["verified"] for each in outcome.each("point")] == [True] * len(CHECKS)
    assert outcome.events[0]["nodes"] == 2
    assert outcome.each("clock")[0]["sync_error_s"] > 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (point(12, "flag"), "shmem/put does not allow bytes=12"),
        (point(8, "flag", start="back_to_back"), "shmem/put does not allow start=back_to_back"),
        (point(8, "most"), "shmem/put does not allow check=most"),
    ],
)
def test_what_cannot_be_measured_is_one_clear_line(measure, words, said):
    outcome = measure(words)
    lines = [line for line in outcome.stderr.splitlines() if line.startswith("leadline-probe: ")]
    assert outcome.returncode == 2
    assert lines
    assert all(said in line for line in lines)


def test_a_heap_that_is_too_small_is_one_clear_line(measure):
    outcome = measure(point(80, "flag"), point(80000000, "flag"), SHMEM_SYMMETRIC_HEAP_SIZE="64M")
    assert outcome.returncode == 3
    assert "the symmetric heap has no room for 80003072 bytes" in outcome.stderr
    assert len(outcome.each("point")) == 1


def test_samples_are_on_disk_when_finalize_crashes(measure):
    outcome = measure(point(80, "flag"), OMPI_MCA_opal_common_ucx_opal_mem_hooks="1")
    assert outcome.events[-1]["event"] == "end"
    assert len(outcome.samples) == outcome.each("point")[0]["records"] > 0


SHAPES = {"kind": "blocking,nonblocking", "unit": "byte,word,element", "stride": "1,3"}
# Values that every benchmark is measured at, small enough for many of them.
EVERYTHING = [
    *points_of("put", bytes="8,8000", check="flag,all", **SHAPES),
    *points_of("get", bytes="0,8,8000", **SHAPES),
    *points_of("wait_until", wait="wait_until,test", set="put,atomic_set"),
    *points_of("quiet", bytes="0,4096", puts="0,1,64", call="quiet,fence"),
    *points_of("atomic", operation="fetch_add,compare_swap,fetch,swap,add", contended="no,yes"),
]
COLLECTIVES = [
    *points_of("barrier", call="barrier_all,sync_all,barrier,sync"),
    *points_of("broadcast", bytes="0,8,80000", group="active_set"),
    *points_of("reduce", bytes="0,8,80000", group="active_set"),
    *points_of("collect", bytes="0,8,80000", call="fcollect,collect", group="active_set"),
    *points_of("alltoall", bytes="0,8,80000", group="active_set"),
    *points_of("alltoalls", bytes="0,8,80000", stride="1,3"),
]


def prove_right(outcome, points):
    """Prove that each point was measured with right data, or is none that OpenSHMEM has."""
    assert outcome.returncode == 0, outcome.stderr
    done, skipped = outcome.each("point"), outcome.each("skip")
    wrong = [points[each["point"]] for each in done if not each["verified"]]
    assert not wrong
    assert len(done) + len(skipped) == len(points)
    for each in skipped:
        assert "kind=nonblocking" in points[each["point"]] or "unit=byte" in points[each["point"]]
    return done


@pytest.mark.parametrize("processes", [2, 4])
def test_every_benchmark_delivers_the_right_data(measure, processes):
    points = [*EVERYTHING, *COLLECTIVES]
    done = prove_right(measure(*points, processes=processes), points)
    assert len(done) > 60


def test_collectives_take_an_odd_number_of_processes(measure):
    points = [*COLLECTIVES, *points_of("atomic", operation="fetch_add,swap", contended="no,yes")]
    assert len(prove_right(measure(*points, processes=3), points)) == len(points)


def test_pairs_need_an_even_number_of_processes(measure):
    outcome = measure(point(8, "flag"), processes=3)
    assert outcome.returncode == 2
    assert "shmem/put cannot use 3 processes" in outcome.stderr


def test_a_shape_that_openshmem_lacks_is_skipped_with_the_reason(measure):
    outcome = measure(point(80, "flag", kind="nonblocking", stride=2, unit="word"))
    (skipped,) = outcome.each("skip")
    assert "no nonblocking strided transfer" in skipped["reason"]


@pytest.mark.timing
def test_a_quiet_is_timed_alone_and_with_its_puts(measure):
    (quiet,) = points_of("quiet", bytes="65536", puts="64", call="quiet")
    outcome = measure(quiet)
    seconds = {series: outcome.samples["seconds"][outcome.samples["series"] == series]
               for series in range(3)}  # fmt: skip
    together, issue, completion = (np.median(seconds[series]) for series in range(3))
    assert len(seconds[0]) == len(seconds[1]) == len(seconds[2]) > 0
    # On one node a put copies by itself; that it is done is soon said.
    assert completion < issue < 3 * together


# In order, delivered as a network may: the last word of a put first, the others 2 ms later. A PE
# that has no core in these 2 ms sees nothing of it: this runs alone.
@pytest.mark.timing
@pytest.mark.parametrize(
    ("check", "right"), [("last_unsafe", False), ("all", True), ("flag", True)]
)
def test_only_a_check_that_the_standard_allows_survives_reordering(measure, faults, check, right):
    outcome = measure(point(800, check), LD_PRELOAD=str(faults), LEADLINE_TEST_FAULT="reordering")
    (done,) = outcome.each("point")
    assert done["verified"] == right
    if not right:
        assert done["stopped_by"] == "wrong data"
        # All but the last of a hundred words.
        assert done["wrong_bytes"] == 99 * 8
        assert len(outcome.samples) == 0


FAULTS = {
    "short": [
        point(800, "flag", unit="word"),
        *points_of("get", bytes="800", kind="blocking", unit="byte", stride="1"),
        *points_of("broadcast", bytes="800", group="active_set"),
        *points_of("reduce", bytes="800", group="active_set"),
    ],
    "gaps": [
        point(800, "flag", unit="word", stride=3),
        *points_of("get", bytes="800", kind="blocking", unit="word", stride="3"),
    ],
    "order": [
        *points_of("collect", bytes="8,800", call="fcollect,collect", group="active_set"),
        *points_of("alltoall", bytes="8,800", group="active_set"),
        *points_of("alltoalls", bytes="8,800", stride="1"),
    ],
    "late puts": points_of("quiet", bytes="8,4096", puts="1,8", call="quiet,fence"),
    "no barrier": points_of("barrier", call="barrier,sync_all"),
    "no wait": points_of("wait_until", wait="wait_until", set="put,atomic_set"),
    "lost update": points_of(
        "atomic", operation="fetch_add,compare_swap,add", contended="yes"
    ),
    "wrong result": points_of("atomic", operation="swap", contended="no,yes"),
}  # fmt: skip


# What no PE waits for may have come all the same where PEs take turns on a core: it runs alone.
@pytest.mark.timing
@pytest.mark.parametrize("fault", FAULTS)
def test_a_library_with_a_fault_is_found_out(measure, faults, fault):
    points = FAULTS[fault]
    outcome = measure(*points, LD_PRELOAD=str(faults), LEADLINE_TEST_FAULT=fault)
    done = outcome.each("point")
    assert len(done) == len(points)
    assert [points[each["point"]] for each in done if each["verified"]] == []


def test_the_stand_in_without_a_fault_changes_nothing(measure, faults):
    points = [each for points in FAULTS.values() for each in points]
    prove_right(measure(*points, LD_PRELOAD=str(faults)), points)
