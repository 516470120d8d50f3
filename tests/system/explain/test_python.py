"""Calls of Python programs have the lines of Python's as their places."""

import os
import shutil
import sys
from collections import Counter
from pathlib import Path

import pytest
from explain_file import read_node
from programs import library, run

from leadline.explain.reading import read_recording

pytestmark = pytest.mark.mpi

PROGRAM = Path(__file__).with_name("lines.py")
# Another version by hand: LEADLINE_TEST_PYTHON=/opt/venv/bin/python, which has mpi4py.
PYTHON = os.environ.get("LEADLINE_TEST_PYTHON", sys.executable)


@pytest.fixture
def python(observed):
    """Give the words that start the program, and its variables."""
    variables = {
        **observed.installation.environment,
        "MPI4PY_LIBMPI": observed.installation.library,
    }
    words = (PYTHON, "-c", "import mpi4py; mpi4py.rc.initialize = False; import mpi4py.MPI")
    if run(*words, **variables).returncode != 0:
        pytest.skip(f"{PYTHON} has no mpi4py that loads {observed.installation.name}")
    return observed.command(Path(PYTHON), str(PROGRAM)), variables


def line(function, mark):
    """Return the place of the call in the line with the comment."""
    lines = PROGRAM.read_text().splitlines()
    (number,) = (at for at, text in enumerate(lines, 1) if text.endswith(f"# {mark}"))
    return f"{function} ({PROGRAM.name}:{number})"


def places(observed, python, files, *words, behind=None):
    """Return the calls from each place, of each rank, by function and place."""
    command, variables = python
    environment = observed.environment(files) | variables
    if behind:
        environment["LD_PRELOAD"] += f":{behind}"
    run(*command, *words, status=0, environment=environment)
    (file,) = files.iterdir()
    for rank in read_node(file):
        found = Counter()
        for row in rank.rows:
            if row.function in ("MPI_Allreduce", "MPI_Barrier", "MPI_Bcast"):
                found[row.function, row.site] += row.calls
        yield found


def test_each_line_is_a_place(observed, python, files):
    for found in places(observed, python, files):
        bcast = ("MPI_Bcast", line("hand_out", "by mpi4py's own Python"))
        assert found.pop(bcast) > 0
        assert found == {
            ("MPI_Allreduce", line("add_up", "first")): 3,
            ("MPI_Allreduce", line("add_up", "second")): 1,
            ("MPI_Barrier", line("meet", "meeting")): 1,
        }
    sites = {row.site for row in read_recording(files).rows if row.site.text.startswith("add_up")}
    assert {(PROGRAM.name, 0)} == {(Path(each.file).name, each.address) for each in sites}


def test_a_thread_has_its_own_frames(observed, python, files):
    for found in places(observed, python, files, "thread"):
        assert found["MPI_Barrier", line("meet", "meeting")] == 2


def test_what_is_preloaded_twice_finds_the_library(observed, python, files, tmp_path):
    # mpi4py loads its library for itself alone: it is found behind no other one.
    for built in observed.runtime.glob("*.so"):
        shutil.copy(built, tmp_path)
    other = tmp_path / "libleadline-explain.so"
    for found in places(observed, python, files, behind=other):
        assert found["MPI_Barrier", line("meet", "meeting")] == 1


def test_a_python_that_is_not_known_is_let_be(observed, python, files, tmp_path):
    source = tmp_path / "newer.c"
    source.write_text('const char *Py_GetVersion(void) { return "3.99.0 (newer)"; }\n')
    newer = library("cc", source, tmp_path)
    for found in places(observed, python, files, behind=newer):
        sites = {site for function, site in found if function == "MPI_Barrier"}
        assert len(sites) == 1 and "lines.py" not in sites.pop()
