"""The thresholds of memcpy in the C library: how they are written, and that it takes them."""

import doctest
import os
import platform
import subprocess

import pytest

import leadline.site.hardware.software
from leadline.measure.knobs.memory import copy_thresholds
from leadline.model.installation import Installation
from leadline.model.job import Job
from leadline.model.placement import Placement
from leadline.site.hardware.software import parse_tunables, tunables

MOVSB = "glibc.cpu.x86_rep_movsb_threshold"
NON_TEMPORAL = "glibc.cpu.x86_non_temporal_threshold"
JOB = Job(program=("./probe",), placement=Placement(1, 2))
MPI = Installation(name="mpi", family="mpi", version="4", prefix="/", source="")


@pytest.fixture(autouse=True)
def nothing_tuned(monkeypatch):
    monkeypatch.delenv("GLIBC_TUNABLES", raising=False)


def test_a_loader_that_lists_nothing_is_no_error(tmp_path):
    assert tunables(tmp_path) == {}
    assert parse_tunables("ld.so: unrecognised option\nglibc.rtld.nns: (min: 1)\n") == {}
    assert doctest.testmod(leadline.site.hardware.software).failed == 0


@pytest.mark.skipif(
    platform.machine() != "x86_64" or platform.libc_ver()[0] != "glibc",
    reason="the thresholds are glibc's on x86-64",
)
def test_the_c_library_takes_what_the_knob_sets():
    job = copy_thresholds("rep_movsb:never+non_temporal:16M", JOB, MPI)
    answer = subprocess.run(
        ["/lib64/ld-linux-x86-64.so.2", "--list-tunables"],
        env={**os.environ, **job.environment}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    taken = parse_tunables(answer.stdout)
    assert taken[MOVSB].value == 2**48
    assert taken[NON_TEMPORAL].value == 16 << 20
