"""OpenSHMEM for real: messages between PEs, and puts of all sizes by all checks."""

import json
import subprocess

import pytest

pytestmark = pytest.mark.mpi

SENDER, RECEIVER = 0, 1
SIZES = (8, 80, 800, 8000, 80000, 800000, 8000000)
CHECKS = ("flag", "all", "last")
# No shared memory: PEs cannot address each other's, as if each had a node of its own.
NETWORK = {"UCX_TLS": "tcp,self"}


def point(size, check, start="default", cache="warm"):
    return f"bytes={size} check={check} start={start} cache={cache}"


@pytest.mark.parametrize("processes", [1, 2, 3, 4])
def test_messages_arrive_whole_and_without_deadlock(launch, messages, processes):
    ended = launch(messages, processes=processes)
    assert (ended.returncode, ended.stdout) == (0, f"{processes} PEs on 1 nodes\n"), ended.stderr


def test_messages_over_a_network_between_nodes(launch, messages):
    ended = launch(messages, "100", processes=3, **NETWORK)
    assert (ended.returncode, ended.stdout) == (0, "3 PEs on 3 nodes\n"), ended.stderr


def test_describe_needs_no_launcher(build_folder):
    said = subprocess.run(
        [build_folder / "leadline-probe-shmem", "--describe"], capture_output=True, check=True
    )
    description = json.loads(said.stdout)
    assert description["transport"] == "shmem"
    put = next(each for each in description["benchmarks"] if each["name"] == "shmem/put")
    assert [series["name"] for series in put["series"]] == ["sender", "receiver"]
    assert {axis["name"] for axis in put["axes"]} == {"bytes", "check"}


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
