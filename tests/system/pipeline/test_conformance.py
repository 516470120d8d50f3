"""The plan `conformance`: what programs use of MPI, tried with settings and without."""

import pytest
from command import strict_json
from real_ranks import REAL_RANKS

pytestmark = REAL_RANKS
# What some libraries lack, and not because of a setting.
NOT_EVERYWHERE = {"connect", "sessions", "threads", "large"}


def test_everything_works_as_the_library_is(leadline, mpi):
    answer = leadline.measure("conformance", "--mpi", mpi)
    assert answer["outcome"] == {"state": "complete", "message": ""}
    assert all(point["verified"] for point in answer["points"])
    features = {point["axes"].get("feature") for point in answer["points"]}
    assert {"dynamic_window", "probe", "cancel", "intercommunicator"} <= features
    assert all(one["left_out"] for one in answer["missing"])
    assert {
        one["axes"]["feature"] for one in answer["missing"] if one["benchmark"] == "mpi/conformance"
    } <= NOT_EVERYWHERE


def test_a_setting_that_breaks_programs_is_found(leadline, mpi):
    if not mpi.startswith("openmpi-4.1"):
        pytest.skip("no setting of it is known that breaks what works without")
    words = ("conformance", "--mpi", mpi, "--knob", "single_copy=default,off")
    done = leadline("run", *words, "--json", "--anyway", "--runs", leadline.runs)
    assert done.returncode == 1, done.stderr
    answer = strict_json(done.stdout)
    assert {one["knobs"]["single_copy"] for one in answer["missing"] if not one["left_out"]} == {
        "off"
    }
    assert any("MPI_Win_create failed" in one["reason"] for one in answer["missing"])


def test_a_pattern_does_not_mean_what_may_end_the_launch(leadline, mpi):
    done = leadline("run", "mpi/con*", "--mpi", mpi, "--dry-run")
    assert done.returncode == 2 and "mpi/con*" in done.stderr
