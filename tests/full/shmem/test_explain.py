"""What the observer writes of OpenSHMEM programs whose waiting is known, and how it is shown."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest
from explain_file import read_node
from programs import compiled, kill_all, run
from transparency import CROWDED

from leadline.measure.build.runtime import observer_for
from leadline.measure.launch.openmpi import oshrun_variables

HERE = Path(__file__).parent

pytestmark = pytest.mark.mpi

# What waits in each scenario of waits.c, on the first PE for the last one.
WAITS = {
    "barrier_all": "shmem_barrier_all",
    "barrier": "shmem_barrier",
    "sync_all": "shmem_sync_all",
    "sync": "shmem_sync",
    "broadcast": "shmem_broadcast64",
    "reduce": "shmem_double_sum_to_all",
    "collect": "shmem_collect64",
    "fcollect": "shmem_fcollect64",
    "alltoall": "shmem_alltoall64",
    "alltoalls": "shmem_alltoalls64",
    "malloc": "shmem_malloc",
    "every_second": "shmem_fcollect64",
    "wait": "shmem_long_wait_until",
    "wait_static": "shmem_long_wait_until",
    "wait_add": "shmem_long_wait_until",
    "test": "shmem_long_test",
    "lock": "shmem_set_lock",
}
# Of these it is not known for whom.
OF_NOBODY = ("test", "lock")
RUNNING, FINALIZED, EXITED, ABORTED = 1, 2, 3, 4


@pytest.fixture(scope="session")
def runtime(installation):
    return observer_for(installation, print)


@pytest.fixture(scope="session")
def waits(installation, tmp_path_factory):
    return compiled(installation.oshcc, HERE / "waits.c", tmp_path_factory.mktemp("explain"))


@pytest.fixture
def files(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    return folder


@pytest.fixture
def preloaded(runtime, files):
    """Return the words that preload the observer in each PE, but not in the launcher."""
    library = runtime / "libleadline-explain-shmem.so"
    return ("env", f"LD_PRELOAD={library}", f"LEADLINE_EXPLAIN={files}")


@pytest.fixture
def observe(launch, preloaded, waits, files):
    """Return a function that runs a scenario; it gives its PEs, and how long the first waited."""

    def run(scenario, processes=2, behind="", status=0):
        words = [f"{word}:{behind}" if behind and "PRELOAD" in word else word for word in preloaded]
        ended = launch(*words, waits, scenario, processes=processes)
        assert (ended.returncode == 0) == (status == 0), ended.stderr
        found = re.findall(r"PE (\d+) entered (\d+\.\d+)$", ended.stdout, re.MULTILINE)
        entered = {int(pe): float(seconds) for pe, seconds in found}
        late = entered[processes - 1] - entered[0] if entered else 0.0
        return read_node(*files.iterdir()), late

    return run


@pytest.mark.timing
@pytest.mark.parametrize("scenario", WAITS)
def test_waiting_is_that_of_the_late_pe(observe, scenario):
    processes = 3 if scenario == "every_second" else 2
    pes, late = observe(scenario, processes)
    row = max((each for each in pes[0].rows if each.function == WAITS[scenario]),
              key=lambda each: each.waiting_s)  # fmt: skip
    # Between two tests a PE may lose its core.
    least = 0.5 if scenario == "test" else 0.95
    assert least * late <= row.waiting_s <= 1.05 * late
    assert row.waiting_s <= row.seconds
    assert pes[0].waiting_s >= row.waiting_s
    assert pes[-1].waiting_s < 0.25 * late
    known = pes[0].peers[processes - 1][2]
    assert known < 0.25 * late if scenario in OF_NOBODY else known >= 0.95 * late
    for pe in pes:
        assert pe.state == FINALIZED
        assert 0 < pe.waiting_s <= pe.mpi_s <= pe.seconds
        assert sum(each.seconds for each in pe.rows) == pytest.approx(pe.mpi_s)


@pytest.mark.timing
def test_waiting_is_the_same_before_the_accelerating_runtime(observe, runtime):
    pes, late = observe("broadcast", behind=runtime / "libleadline.so")
    assert pes[0].row("shmem_broadcast64").waiting_s == pytest.approx(late, rel=0.05)


def test_calls_bytes_and_peers_are_counted_exactly(observe):
    pes, _ = observe("many")
    for pe in pes:
        counted = {(row.function, row.calls, row.bytes) for row in pe.rows}
        assert {
            ("shmem_putmem", 1000, 100_000),
            ("shmem_getmem", 1000, 100_000),
            ("shmem_int_put", 1000, 12_000),
            ("shmem_long_atomic_inc", 1000, 8000),
            ("shmem_iput32", 1000, 8000),
            ("shmem_fence", 1000, 0),
            ("shmem_barrier_all", 1000, 0),
        } <= counted
        assert pe.calls == sum(row.calls for row in pe.rows) == 8004
        assert pe.lost == (0, 0, 0, 0)
        assert pe.peers[1 - pe.rank][:2] == (4000, 220_000)
        assert pe.peers[pe.rank][:2] == (1000, 8000)


def test_values_that_are_no_words_arrive(observe):
    pes, _ = observe("values", processes=3)
    assert {pe.state for pe in pes} == {FINALIZED}
    called = {row.function for row in pes[0].rows}
    assert {"shmem_longdouble_g", "shmem_ctx_double_p", "shmem_float_atomic_swap"} <= called


def test_threads_are_counted_and_kept_apart(observe):
    pes, _ = observe("threads")
    for pe in pes:
        assert pe.row("shmem_ctx_long_atomic_fetch_add").calls == 2000
        assert pe.other_threads_s > 0
        assert pe.peers[1 - pe.rank][:2] == (2000, 16_000)


def test_places_of_calls_have_names(observe):
    pes, _ = observe("hello")
    assert pes[0].row("shmem_init").site == "main"


@pytest.mark.parametrize("scenario,state,status", [("exit", EXITED, 0), ("abort", ABORTED, 3)])
def test_a_program_that_ends_otherwise_says_so(observe, scenario, state, status):
    pes, _ = observe(scenario, status=status)
    states = [pe.state for pe in pes]
    assert state in states and FINALIZED not in states


@pytest.fixture
def hanging(installation, preloaded, waits, files):
    """Start the program that hangs, and give its process; it is killed with the test."""
    environment = {**os.environ, **CROWDED, **oshrun_variables(installation)}
    started = subprocess.Popen(
        [installation.oshrun, "-n", "2", *preloaded, waits, "hang"], env=environment,
        stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        assert started.stdout.readline() == "hangs\n"
        while read_node(*files.iterdir())[1].function != "shmem_long_wait_until":
            time.sleep(0.05)
        yield started
    finally:
        kill_all(started)
        started.communicate()


def leadline(*words, **variables):
    return run(sys.executable, "-m", "leadline", *words, **CROWDED, **variables)


def test_stuck_says_in_which_calls_pes_are(hanging, files):
    time.sleep(6)  # so long they have to be in their calls
    ended = leadline("stuck", hanging.pid)
    said = " ".join((ended.stdout + ended.stderr).split())
    assert "All ranks wait in OpenSHMEM, in different calls, and none goes on." in said
    assert "rank 0 is in shmem_barrier_all" in said
    assert "of all PEs" in said
    assert "rank 1 is in shmem_long_wait_until" in said


def test_what_a_killed_program_did_is_there(hanging, files):
    kill_all(hanging)
    hanging.wait()
    for pe in read_node(*files.iterdir()):
        assert pe.state == RUNNING and pe.seconds == 0
        assert pe.row("shmem_barrier_all").calls == 1
    shown = leadline("explain", files)
    assert shown.returncode == 0, shown.stderr
    assert "have no end: killed or still running" in " ".join(shown.stdout.split())


def test_the_answer_says_who_is_late_and_owners_add_up(installation, waits, tmp_path):
    runs = tmp_path / "runs"
    words = ("explain", "--runs", runs, "--json", "--", installation.oshrun, "-n", 2, waits, "wait")
    ended = leadline(*words, **oshrun_variables(installation))
    assert ended.returncode == 0, ended.stderr
    found = msgspec.json.decode(ended.stdout)
    assert found["late"]["verdict"] == "rank" and found["late"]["rank"] == 1
    late = found["late"]["late_s"] * found["late"]["calls"]
    sites = {each["call"]: each for each in found["sites"]}
    # Of 0.2 s, the less the later the first one itself came.
    assert 0 < late < 0.25
    assert sites["shmem_long_wait_until"]["waiting_s"] == pytest.approx(late, rel=0.1)
    assert sites["shmem_long_wait_until"]["transfer_s"] == 0
    assert any("Beginning and ending OpenSHMEM takes" in note for note in found["notes"])
    (sent,) = (each for each in found["sent"] if each["rank"] == 1)
    assert (sent["peer"], sent["messages"], sent["bytes"]) == (0, 1, 8)
    for rank in found["ranks"]:
        owners = [rank[f"{name}_s"] for name in
                  ("computing", "waiting", "transfer", "excess", "tunable")]  # fmt: skip
        assert min(owners) >= 0
        assert sum(owners) == pytest.approx(found["seconds"], rel=0.1)
    refused = leadline("explain", "--runs", runs, "--replay", "last")
    assert refused.returncode == 2
    assert "the recording is of OpenSHMEM" in refused.stderr


BOTH = r"""#include <mpi.h>
#include <shmem.h>
#include <stdio.h>
int main(void) {
  int one = 1, sum = 0;
  shmem_init();
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  shmem_barrier_all();
  printf("sum %d\n", sum);
  shmem_finalize();
}
"""


def test_a_program_of_both_apis_is_observed_in_the_first(
    installation, launch, runtime, files, tmp_path
):
    source = tmp_path / "both.c"
    source.write_text(BOTH)
    program = compiled(installation.oshcc, source, tmp_path)
    libraries = ":".join(str(runtime / f"libleadline-explain{api}.so") for api in ("", "-shmem"))
    ended = launch("env", f"LD_PRELOAD={libraries}", f"LEADLINE_EXPLAIN={files}", program)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.count("sum 2") == 2
    for pe in read_node(*files.iterdir()):
        assert {row.function for row in pe.rows} == {
            "shmem_init", "shmem_barrier_all", "shmem_finalize"
        }  # fmt: skip
    shown = leadline("explain", files)
    said = " ".join(shown.stdout.split())
    assert "The program calls MPI, too: what it does there counts as computing." in said


ELSEWHERE = """#!/bin/sh
[ "$OMPI_COMM_WORLD_RANK" = 0 ] && exec "$@"
exec unshare -um sh -c 'hostname other; mount -t tmpfs none {}; exec "$@"' sh "$@"
"""


def test_a_host_without_the_folder_hands_over_what_it_has(launch, preloaded, waits, files):
    if run("unshare", "-um", "true").returncode:
        pytest.skip("no host can be made of namespaces here")
    script = files.parent / "elsewhere.sh"
    script.write_text(ELSEWHERE.format(files.parent))
    script.chmod(0o755)
    ended = launch(script, *preloaded, waits, "barrier_all")
    assert ended.returncode == 0, ended.stderr
    found = [read_node(file) for file in sorted(files.iterdir())]
    assert [[pe.rank for pe in node] for node in found] == [[0], [1]]
    for (pe,) in found:
        assert pe.state == FINALIZED
        assert {row.function: row.flags for row in pe.rows}["shmem_barrier_all"] == 1
