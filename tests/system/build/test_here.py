"""The parts of the probes, with the MPIs that are really here."""

import os
import subprocess
from pathlib import Path

import catalogue as writer
import msgspec
import pytest
from mpi_here import real_installations

from leadline.core.errors import UserError
from leadline.core.shipped import source_folder
from leadline.measure.build import check_library, probe_for, program, whole_program
from leadline.measure.build.abi import abi_for
from leadline.measure.build.parts import catalogue_file, in_order, parts
from leadline.site.mpi.choice import default_installation
from leadline.site.mpi.discovery import FAKE
from leadline.site.mpi.families import abi_of

pytestmark = pytest.mark.mpi


def installations():
    return [each for each in real_installations() if "mpi" in each.apis]


def asked(installation, words, *arguments, **variables):
    """Return what a program prints that is started without a launcher."""
    environment = {**os.environ, **installation.environment, **variables}
    return subprocess.run(
        [*words, *arguments], env=environment, capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.parametrize("api", ["fake", "mpi"])
def test_the_catalogue_is_what_the_parts_say(api):
    installation = FAKE if api == "fake" else default_installation()
    assert catalogue_file(api).read_text() == writer.text(writer.made(installation, api))


def test_a_part_names_all_others_that_it_needs():
    installation = default_installation()
    loader, option, files = whole_program(installation, "mpi", print)
    library, *rest = files.split(":")
    of_name = {Path(each).stem: each for each in rest}
    known = parts(source_folder())
    for name in of_name:
        loaded = [library, *(of_name[each] for each in in_order(["mpi", name], known))]
        words = (loader, option, ":".join(loaded))
        assert asked(installation, words, "--describe", LD_BIND_NOW="1").startswith("{"), name


def test_a_run_builds_the_parts_that_it_measures_with():
    installation = default_installation()
    probe = probe_for(installation, "mpi", print)
    points = [("mpi/pingpong", {"bytes": 8})]
    files = program(installation, "mpi", probe, points, print)[2].split(":")
    assert [Path(each).stem for each in files[1:]] == ["abi", "harness", "mpi", "messages"]
    points = [("mpi/allreduce", {"algorithm": "library"}), ("mpi/bcast", {"algorithm": "shared"})]
    files = program(installation, "mpi", probe, points, print)[2].split(":")
    assert {"collectives", "shared", "node_collectives"} <= {Path(each).stem for each in files}
    assert "algorithms" not in {Path(each).stem for each in files}


@pytest.mark.full
def test_one_build_serves_all_libraries_of_an_abi():
    there = installations()
    if len({each.family for each in there}) < 2:
        pytest.skip("one family of MPI: install mpich and openmpi-bin with libopenmpi-dev")
    said = []
    for each in there:
        abi = abi_for(each, said.append, source_folder())
        assert abi.name == abi_of(each)
        words = program(each, "mpi", probe_for(each, "mpi", print), (), print)
        assert words[2].split(":")[0] == each.library
    assert not [line for line in said if "does not serve" in line]


@pytest.mark.full
def test_a_library_of_another_abi_gets_a_build_of_its_own():
    """An Open MPI that passes for an MPICH is found out by the self-test."""
    there = {each.family: each for each in installations()}
    if not {"mpich", "openmpi"} <= there.keys():
        pytest.skip("no two ABIs: install mpich and openmpi-bin with libopenmpi-dev")
    standard = there["mpich"].standard
    other = msgspec.structs.replace(
        there["openmpi"], name="disguised", family="mpich", standard=standard
    )
    said = []
    assert abi_for(other, said.append, source_folder()).name == "disguised"
    lines = [line for line in said if "does not serve" in line]
    assert len(lines) == 1 and lines[0].endswith("it gets one of its own")
    # Asked once.
    said.clear()
    assert abi_for(other, said.append, source_folder()).name == "disguised"


def test_a_probe_of_another_abi_measures_nothing(tmp_path):
    """The probe itself asks, too: a library may be replaced after it was built for."""
    installation = default_installation()
    words = whole_program(installation, "mpi", print)
    plan = tmp_path / "plan.txt"
    plan.write_text("leadline-plan 1\n")
    spoilt = tmp_path / "spoilt.c"
    spoilt.write_text(
        "#include <mpi.h>\nint MPI_Get_version(int *version, int *subversion) "
        "{ *version = 2; *subversion = 2; return MPI_SUCCESS; }\n"
    )
    library = tmp_path / "spoilt.so"
    subprocess.run([installation.mpicc, "-shared", "-fPIC", spoilt, "-o", library], check=True)
    done = subprocess.run(
        [*words, "--plan", plan, "--out", tmp_path],
        env={**os.environ, **installation.environment, "LD_PRELOAD": str(library)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "they differ in the version of the standard, 2" in done.stderr


def test_a_foreign_library_at_run_time_is_one_line():
    there = installations()
    said = {"mpich": "MPICH Version:   0.9\n", "openmpi": "Open MPI v0.9.1, package"}
    for each in there:
        for words in said.values():
            with pytest.raises(UserError, match="runs on another library"):
                check_library(each, words)
