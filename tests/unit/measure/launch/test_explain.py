"""The files in `data` are what launchers really printed: LAUNCHER-[VERSION-]CASE.txt.

There is one for each failure, and each way in which launchers of its kind tell it.
"""

from pathlib import Path

import pytest

from leadline.measure.launch.explain import explain

DATA = sorted((Path(__file__).parent / "data").glob("*.txt"))

# What every explanation of a case must say: the launcher's own words, and what to try.
EXPECTED = {
    "missing": (("./probe",), "missing or may not be executed"),
    "executable": (("./ranks.c",), "missing or may not be executed"),
    "killed": (("signal 9", "SIGNAL: 9"), "want of memory"),
    "segmentation": (("signal 11 (Seg", "(signal 11)", "SIGNAL: 11"), "crashed"),
    "abort": (("MPI_Abort(", "MPI_ABORT was invoked"), "gave up"),
    "library": (("libgone.so",), "leadline mpi --fresh"),
    "host": (("nohost1", "nohost2"), "--hosts"),
    "refused": (("Connection refused", "bstrap_proxy on 127.0.0.2"), "--hosts"),
    "limit": (("Login failed: Resource unavailable",), "ulimit -u"),
    "processes": (("Resource temporarily unavailable",), "ulimit -u"),
    "slots": (("satisfy the 5 slots",), "--oversubscribe"),
    "bind": (("binding more processes than cpus", "require binding processes"), "--no-bind"),
    "root": (("attempt to run as root",), "OMPI_ALLOW_RUN_AS_ROOT=1"),
}


@pytest.mark.parametrize("path", DATA, ids=lambda path: path.stem)
def test_real_output_is_explained(path):
    launcher, case = path.stem.split("-")[0], path.stem.split("-")[-1]
    line = explain(launcher, path.read_text(), 1)
    assert "\n" not in line
    if case == "probe":
        assert line == "rank 1: MPI_Recv at point 3: truncated"
        return
    words, advice = EXPECTED[case]
    assert any(word in line for word in words), line
    assert advice in line


def test_the_last_words_where_nothing_is_known():
    line = explain("hydra", "first\nsomething odd\n=====\n", 7)
    assert line == "the launcher (hydra) ended with status 7; its last words were: something odd"
    line = explain("hydra", "[proxy:0:0@vm] something odd\n[mpiexec@vm] \n", 7)
    assert line.endswith("its last words were: [proxy:0:0@vm] something odd")


@pytest.mark.parametrize("output", ["", "=====\n", "[proxy:0:0@vm]\n[mpiexec@vm] "])
def test_silence_is_told_with_the_signal(output):
    assert explain("openmpi4", output, -9).startswith(
        "the launcher (openmpi4) was killed by signal 9 (SIGKILL) without a word"
    )
