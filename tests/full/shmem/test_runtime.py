"""The runtime preloaded under a program with OpenSHMEM, which predicts what each call delivers."""

import json
import re
from pathlib import Path

import pytest
from checkout import CHECKOUT
from programs import compiled, library, write_profile
from programs import rule as rule_of

from leadline.measure.build.runtime import runtime_for

HERE = Path(__file__).parent

pytestmark = pytest.mark.mpi

EVERY_COLLECTIVE = tuple(
    sorted(each.stem for each in CHECKOUT.glob("runtime/shmem/collectives/*.cpp"))
)


@pytest.fixture(scope="session")
def runtime(installation):
    """Return the folder of the libraries."""
    return runtime_for(installation, print)


@pytest.fixture(scope="session")
def collectives(installation, tmp_path_factory):
    options = ("-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror", "-Wno-deprecated-declarations")
    folder = tmp_path_factory.mktemp("program")
    return compiled(installation.oshcxx, HERE / "collectives.cpp", folder, *options)


@pytest.fixture(scope="session")
def calls(installation, tmp_path_factory):
    return library(installation.oshcc, HERE / "calls.c", tmp_path_factory.mktemp("calls"))


@pytest.fixture
def profile(runtime, tmp_path):
    """Return a function that writes a profile of rules for this machine and returns its path."""
    where = (tmp_path / "profile.toml", runtime / "libleadline.so", "Open MPI v4")
    return lambda *rules, machine="": write_profile(*where, *rules, machine=machine)


def rule(collective, algorithm="shared", **keys):
    return rule_of(f"shmem_{collective}", algorithm, **keys)


@pytest.fixture
def run(launch, runtime, collectives, calls):
    """Return a function that runs the program under the preload and returns what it printed."""

    def run(profile, rounds=12, seed=1, processes=2, **environment):
        # The launcher itself must not have them.
        preload = f"LD_PRELOAD={runtime / 'libleadline.so'}:{calls}"
        given = [f"LEADLINE_PROFILE={profile}"] if profile else []
        words = ("env", preload, *given, collectives, rounds, seed)
        ended = launch(*words, processes=processes, **environment)
        assert ended.returncode == 0, ended.stderr
        assert re.search(rf"\b{rounds * 4} calls, 0 wrong", ended.stdout), ended.stdout
        counts = re.search(r"library:" + 5 * r"\D+(\d+)", ended.stdout)
        ended.names = ("broadcast", "reduce", "collect", "alltoall", "alltoalls")
        ended.left = dict(zip(ended.names, map(int, counts.groups()), strict=True))
        ended.shares = "memory shared" in ended.stdout
        return ended

    return run


@pytest.mark.parametrize("processes", range(1, 10))
def test_every_collective_delivers_what_the_library_would(run, profile, processes):
    rules = [rule(each) for each in EVERY_COLLECTIVE]
    ended = run(profile(*rules), seed=processes, processes=processes)
    assert ended.shares == (processes > 1)
    # With more PEs, more active sets are in use than there is memory for.
    if processes < 3:
        assert not any(ended.left.values())
    assert "leadline" not in ended.stderr


def test_the_same_without_leadline(run):
    ended = run(None, rounds=60, LEADLINE="off")
    assert not ended.shares
    assert all(ended.left.values())


@pytest.mark.parametrize("setting", [{"LEADLINE": "off"}, {"UCX_TLS": "tcp,self"}])
def test_all_is_left_to_the_library(run, profile, setting):
    ended = run(profile(*map(rule, EVERY_COLLECTIVE)), rounds=60, **setting)
    assert not ended.shares
    assert all(ended.left.values())
    assert "leadline" not in ended.stderr


def test_rules_say_what_is_replaced(run, profile):
    rules = [
        rule("broadcast"),
        rule("reduce", processes=3),
        rule("fcollect", algorithm="library", to_bytes=1000000),
        rule("fcollect", from_bytes=1000001),
    ]
    ended = run(profile(*rules), rounds=60)
    assert [name for name in ended.names if ended.left[name] == 0] == ["broadcast"]


def test_floating_point_sums_are_left_to_the_library_on_request(run, profile):
    ended = run(profile(*map(rule, EVERY_COLLECTIVE)), rounds=60, LEADLINE_REPRODUCIBLE="1")
    assert [name for name in ended.names if ended.left[name] > 0] == ["reduce"]


def test_a_profile_of_another_machine_is_refused_in_one_line(run, profile):
    ended = run(profile(*map(rule, EVERY_COLLECTIVE), machine="a Cray"), rounds=20)
    assert all(ended.left.values())
    lines = {line for line in ended.stderr.splitlines() if "leadline" in line}
    assert len(lines) == 1
    assert 'it is for the machine "a Cray"' in lines.pop()


def test_nothing_stays_in_shared_memory(run, profile):
    def names():
        return set(Path("/dev/shm").glob("leadline-*-shmem-*"))

    before = names()
    run(profile(*map(rule, EVERY_COLLECTIVE)), processes=3)
    assert names() <= before


@pytest.fixture(scope="session")
def reported(installation, tmp_path_factory):
    return compiled(installation.oshcc, HERE / "reported.c", tmp_path_factory.mktemp("program"))


@pytest.fixture
def report(launch, runtime, reported, tmp_path):
    """Return a function that runs the program and returns its report."""

    def run(profile, *words, processes=2):
        file = tmp_path / "report.json"
        preload = f"LD_PRELOAD={runtime / 'libleadline.so'}"
        given = [f"LEADLINE_PROFILE={profile}"] if profile else []
        ended = launch(
            "env", preload, *given, f"LEADLINE_REPORT={file}", reported, *words, processes=processes
        )
        assert ended.returncode == 0, ended.stderr
        return json.loads(file.read_text())

    return run


# What the program calls on each PE: function, bytes of a call, times.
CALLED = [
    ("shmem_barrier_all", None, 23),
    ("shmem_double_sum_to_all", 32, 10),
    ("shmem_double_sum_to_all", 64, 3),
    ("shmem_double_sum_to_all", 4096, 2),
    ("shmem_broadcast64", 128, 5),
    ("shmem_broadcast64", 0, 1),
    ("shmem_alltoalls64", 16, 1),
]


@pytest.mark.parametrize("processes", [2, 3, 4])
def test_a_report_counts_what_the_program_called_and_says_why(report, profile, processes):
    rules = [
        rule("reduce", to_bytes=40, measured="[[8, 3, 1, 2], [1024, 5, 2, 2]]"),
        rule("reduce", "library", from_bytes=41, to_bytes=100),
        rule("broadcast", processes=processes),
        rule("alltoalls"),
    ]
    found = report(profile(*rules), processes=processes)
    assert (found["ranks"], found["processes"], found["uncounted"]) == (processes, processes, 0)
    rows = {(each["function"], each["from_bytes"]): each for each in found["calls"]}
    assert len(rows) == len(CALLED)
    for function, size, times in CALLED:
        row = rows[function, size]
        assert row["calls"] == processes * times and row["ranks"] == row["processes"] == processes
        assert row["bytes"] == processes * times * (size or 0)
        assert 0 < row["slowest_s"] <= row["seconds"]
    ways = {key: (row["algorithm"], row["reason"]) for key, row in rows.items()}
    assert ways == {
        ("shmem_barrier_all", None): (None, "no rule for its ranks"),
        ("shmem_double_sum_to_all", 32): ("shared", None),
        ("shmem_double_sum_to_all", 64): (None, "the library is faster"),
        ("shmem_double_sum_to_all", 4096): (None, "no rule for its size"),
        ("shmem_broadcast64", 128): ("shared", None),
        ("shmem_broadcast64", 0): (None, "no data"),
        ("shmem_alltoalls64", 16): ("shared", None),
    }
    # The profile's times are of another run.
    assert rows["shmem_double_sum_to_all", 32]["saved_s"] == 0


@pytest.mark.parametrize("variable", ["LEADLINE_PROFILE", "LEADLINE_REPORT"])
@pytest.mark.parametrize("without", [0, 1])
def test_what_only_some_pes_have_keeps_nobody_waiting(
    launch, runtime, reported, profile, tmp_path, variable, without
):
    file = tmp_path / "report.json"
    given = [
        f"LD_PRELOAD={runtime / 'libleadline.so'}",
        f"LEADLINE_PROFILE={profile(rule('reduce'), rule('broadcast'))}",
        f"LEADLINE_REPORT={file}",
    ]
    script = f'if [ "$OMPI_COMM_WORLD_RANK" = {without} ]; then unset {variable}; fi; exec "$0"'
    ended = launch("env", *given, "sh", "-c", script, reported)
    assert ended.returncode == 0, ended.stderr
    (line,) = (line for line in ended.stderr.splitlines() if "leadline" in line)
    assert f"{variable} is set for 1 of 2 PEs only" in line
    if variable == "LEADLINE_PROFILE":
        assert {each["algorithm"] for each in json.loads(file.read_text())["calls"]} == {None}
    elif without == 0:
        assert not file.exists()
    else:
        found = json.loads(file.read_text())
        assert (found["ranks"], found["processes"]) == (1, 2)
        assert "shared" in {each["algorithm"] for each in found["calls"]}


def test_without_a_profile_all_is_counted_and_left_to_the_library(report):
    found = report(None)
    assert {each["algorithm"] for each in found["calls"]} == {None}
    assert sum(each["calls"] for each in found["calls"]) == 2 * sum(each[2] for each in CALLED)


def test_a_program_without_finalize_is_reported_by_one_pe(report, profile):
    found = report(profile(rule("reduce")), "leave")
    assert (found["ranks"], found["processes"]) == (1, None)
    assert sum(each["calls"] for each in found["calls"]) == sum(each[2] for each in CALLED)
