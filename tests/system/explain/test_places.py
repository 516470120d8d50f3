"""The places from which a program calls: lines of its source, where it tells them."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from mpi_here import environment_of, real_installations
from programs import compiled

from leadline.explain.places import find_lines, read_lines, write_lines
from leadline.explain.recording import Site

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(not shutil.which("addr2line"), reason="no addr2line here: install binutils"),
]
SOURCE = Path(__file__).parent / "places.c"


def places(told):
    """Return the calls of MPI_Allreduce in an answer of explain, by place."""
    assert told.returncode == 0, told.stderr
    sites = json.loads(told.stdout)["sites"]
    return {each["where"]: each["calls"] for each in sites if each["call"] == "MPI_Allreduce"}


@pytest.mark.parametrize("mpi", real_installations(), ids=lambda each: each.name)
def test_two_calls_in_a_function_are_two_places_with_their_lines(mpi, leadline, tmp_path):
    variables = environment_of(mpi)
    program = compiled(mpi.mpicc, SOURCE, tmp_path, "-g", "-O2", **mpi.environment)
    command = (mpi.mpiexec, "-n", "1", program)
    done = leadline("explain", "--json", "--mpi", mpi.name, "--", *command, **variables)
    lines = [
        number for number, line in enumerate(SOURCE.read_text().splitlines(), 1)
        if line.strip() == "REDUCE();"
    ]  # fmt: skip
    wanted = {f"main (places.c:{line})": calls for line, calls in zip(lines, (1, 3), strict=True)}
    assert places(done) == wanted
    # A program is built again, or is gone, when its recording is read.
    program.unlink()
    assert places(leadline("explain", "--json", "last")) == wanted


def test_without_debug_information_places_have_addresses(leadline, tmp_path):
    mpi = real_installations()[0]
    program = compiled(mpi.mpicc, SOURCE, tmp_path, **mpi.environment)
    command = (mpi.mpiexec, "-n", "1", program)
    found = places(leadline("explain", "--json", "--", *map(str, command)))
    assert sorted(found.values()) == [1, 3]
    assert all(re.fullmatch(r"main \(0x[0-9a-f]+\)", where) for where in found)


def test_a_program_that_was_built_since_has_no_lines(tmp_path):
    (tmp_path / "one.c").write_text("int main(void) { return 0; }")
    program = compiled("cc", tmp_path / "one.c", tmp_path, "-g")
    symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    address = next(int(line[:16], 16) for line in symbols.splitlines() if line.endswith(" T main"))
    at = (str(program), address)
    written = program.stat().st_mtime
    assert find_lines([Site("main", *at)], before_s=written + 1) == {at: "one.c:1"}
    assert find_lines([Site("main", *at)], before_s=written - 1) == {}


def test_what_is_kept_is_read_again(tmp_path):
    assert read_lines(tmp_path) is None
    write_lines(tmp_path, {("/a", 1): "b.c:2"})
    assert read_lines(tmp_path) == {("/a", 1): "b.c:2"}
    (tmp_path / "lines.json").write_text("[")
    assert read_lines(tmp_path) is None
