"""Real programs: their words, and how their outputs are read and verified."""

import json
from pathlib import Path

import pytest
from comparison import hpcc, lammps
from comparison.application import Ended, LeftOut, chosen, installed, printed_object
from comparison.applications import APPLICATIONS, own_point

from leadline.core.errors import UserError
from leadline.model.installation import Installation

OPENMPI = Installation(name="openmpi-9", family="openmpi", version="9", prefix="/o", source="PATH")


def ended(output, wall_s=9.0, folder=Path()):
    return Ended(output, folder, wall_s)


def test_programs_are_chosen_by_name():
    known = APPLICATIONS
    assert [each.name for each in chosen("hpcc, lammps,hpcc", known)] == ["hpcc", "lammps"]
    with pytest.raises(UserError, match=r"--programs .lamps.: .*lammps"):
        chosen("lamps", known)


def test_lammps_own_loop_time_counts(data):
    assert lammps.read(ended(data("lammps.txt"), wall_s=50.0)) == 45.4884


def test_hpcc_counts_as_a_whole(data, tmp_path):
    (tmp_path / "hpccoutf.txt").write_text(data("hpcc.txt"))
    assert hpcc.read(ended("", 2.5, tmp_path)) == 2.5
    with pytest.raises(UserError, match=r"hpccoutf\.txt"):
        hpcc.read(ended("", 2.5, tmp_path / "nowhere"))


@pytest.mark.parametrize(
    ("program", "right", "wrong", "says"),
    [
        ("lammps", "-4.6208582", "-4.5208582", "TotEng is -4.52"),
        ("lammps", "-4.6208582", "nan", "TotEng is nan"),
        ("lammps", "0.70125598", "1.44", "Temp is 1.44"),
        ("lammps", "    1000   0.7", "     999   0.7", "does not end with step 1000"),
        ("lammps", "on 2 procs", "on 1 procs", "loop time"),
        ("hpcc", "Success=1", "Success=0", "no Success=1"),
        ("hpcc", "PASSED", "FAILED", "FAILED"),
        ("hpcc", "Access_Errors=0", "Access_Errors=3", "MPIRandomAccess_Errors=3"),
        ("hpcc", "MPIFFT_maxErr=1", "MPIFFT_maxErr=nan\nX=1", "MPIFFT_maxErr=nan"),
        ("hpcc", "PASSED", "", "no residual"),
    ],
)
def test_answers_are_verified(data, program, right, wrong, says):
    def verify(said):
        return lammps.read(ended(said)) if program == "lammps" else hpcc.verify(said)

    said = data(f"{program}.txt")
    verify(said)
    assert right in said
    with pytest.raises(UserError, match=says):
        verify(said.replace(right, wrong))


def test_mpi4py_programs_verify_themselves():
    known = APPLICATIONS
    right = {"seconds": 0.5, "iterations": 7, "residual": 9e-9, "sum": 1.0}
    assert known["mpi4py-cg"].read(ended(json.dumps(right))) == 0.5
    with pytest.raises(UserError, match="residual"):
        known["mpi4py-cg"].read(ended(json.dumps(right | {"residual": 1e-3})))
    with pytest.raises(UserError, match="no answer"):
        printed_object("Traceback")


def test_leadline_starts_its_own_applications():
    words = APPLICATIONS["app-timestep"].prepare(OPENMPI, Path()).words
    assert words[2:5] == ("leadline", "run", "app/timestep")
    assert "runtime={runtime}" in words
    assert words[words.index("--mpi") + 1] == "openmpi-9"
    assert words[words.index("--place") + 1] == "1x2"


def test_wrong_data_of_its_own_applications_are_no_time():
    point = {"series": "step", "verified": True, "median_s": 2e-3}
    said = {"points": [point, {"series": "initialisation"}]}
    assert APPLICATIONS["app-timestep"].read(ended(json.dumps(said))) == 2e-3
    with pytest.raises(UserError, match="wrong"):
        own_point(json.dumps({"points": [point | {"verified": False}]}), "step")
    with pytest.raises(UserError, match="0 results"):
        own_point('{"points": []}', "step")


def test_fem2d_has_its_residual():
    point = {"series": "pcg", "verified": True, "median_s": 0.5, "metrics": {"reduction": 9e-9}}
    read = APPLICATIONS["app-fem2d"].read
    assert read(ended(json.dumps({"points": [point]}))) == 0.5
    point["metrics"]["reduction"] = 1e-7
    with pytest.raises(UserError, match="residual"):
        read(ended(json.dumps({"points": [point]})))


def test_what_is_not_installed_is_left_out_with_its_package(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(LeftOut, match="lmp not found: install lammps"):
        installed("lmp", "lammps", OPENMPI)


def test_what_is_built_with_another_mpi_is_left_out(monkeypatch):
    monkeypatch.setattr("comparison.application.shutil.which", lambda _: "/usr/bin/lmp")
    monkeypatch.setattr(
        "comparison.application.started_mpi", lambda words: (words[0], "openmpi-4.1.4")
    )
    with pytest.raises(LeftOut, match=r"lammps is built with openmpi-4\.1\.4"):
        installed("lmp", "lammps", OPENMPI)


def test_intels_imb_is_not_for_open_mpi():
    with pytest.raises(LeftOut, match="MPICH's interface"):
        APPLICATIONS["imb"].prepare(OPENMPI, Path())
