"""The runtime preloaded under a program with OpenSHMEM, which predicts what each call delivers."""

import ctypes
import os
import re
import subprocess
from pathlib import Path

import pytest

from leadline.build import cmake

HERE = Path(__file__).parent
CHECKOUT = HERE.parents[1]

pytestmark = pytest.mark.mpi

EVERY_COLLECTIVE = ("barrier", "broadcast", "reduce", "collect", "alltoall")


@pytest.fixture(scope="session")
def runtime(installation, tmp_path_factory):
    """Return the folder of the libraries."""
    folder = tmp_path_factory.mktemp("runtime")
    definitions = [*cmake.configuration(installation, "shmem"), "-DLEADLINE_RUNTIME=ON"]
    cmake.build("the runtime", CHECKOUT, folder, folder / "build.log", definitions, os.environ)
    return folder


@pytest.fixture(scope="session")
def collectives(installation, runtime):
    program = runtime / "collectives"
    options = ["-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror", "-Wno-deprecated-declarations"]
    source = HERE / "runtime/collectives.cpp"
    subprocess.run([installation.oshcxx, *options, source, "-o", program], check=True)
    return program


@pytest.fixture(scope="session")
def calls(installation, runtime):
    library = runtime / "calls.so"
    options = ["-std=gnu11", "-Wall", "-Wextra", "-Wno-deprecated-declarations", "-shared", "-fPIC"]
    source = HERE / "runtime/calls.c"
    subprocess.run([installation.oshcc, source, *options, "-o", library], check=True)
    return library


@pytest.fixture
def profile(runtime, tmp_path):
    """Return a function that writes a profile of rules for this machine and returns its path."""

    def write(*rules, machine=None):
        name = ctypes.create_string_buffer(256)
        ctypes.CDLL(runtime / "libleadline.so").leadline_machine(name, ctypes.c_size_t(256))
        file = tmp_path / "profile.toml"
        machine = machine or name.value.decode()
        head = ["format = 1", f'machine = "{machine}"', 'library = "Open MPI v4"']
        file.write_text("\n".join([*head, *rules, ""]))
        return file

    return write


def rule(collective, algorithm="shared", **keys):
    numbers = "\n".join(f"{key} = {value}" for key, value in keys.items())
    return f'[[rule]]\ncollective = "shmem_{collective}"\nalgorithm = "{algorithm}"\n{numbers}'


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
        counts = re.search(r"library: (\d+) \D+(\d+) \D+(\d+) \D+(\d+)", ended.stdout)
        ended.names = ("broadcast", "reduce", "collect", "alltoall")
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
        rule("collect", algorithm="library", to_bytes=1000000),
        rule("collect", from_bytes=1000001),
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
