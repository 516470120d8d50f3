"""Tests that start real ranks: where they can run, and the MPIs that they run on."""

from typing import Any

import pytest
from command import Leadline
from tiers import FAMILIES

from leadline.measure.launch.slots import available_cores

REAL_RANKS = [
    pytest.mark.mpi,
    pytest.mark.skipif(available_cores() < 2, reason="this machine has one core"),
]
# More ranks than cores: ranks that wait give up their core.
YIELDING = {
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "64",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}


def installed(leadline: Leadline, family: str) -> dict[str, Any]:
    """Return an installation of the family, MPICH's wheel before others; skip without one."""
    for each in leadline.json("mpi")["installations"]:
        if each["family"] == family and each["mpiexec"]:
            return each
    pytest.skip(f"no {family} here: install it (Debian: lib{family}-dev)")


@pytest.fixture(params=FAMILIES)
def installation(request: pytest.FixtureRequest, leadline: Leadline) -> dict[str, Any]:
    """Give an installation of each family."""
    return installed(leadline, request.param)


@pytest.fixture
def mpi(installation: dict[str, Any]) -> str:
    """Give the name of an installation of each family."""
    return installation["name"]


@pytest.fixture
def mpich(leadline: Leadline) -> dict[str, Any]:
    """Give an installation of MPICH."""
    return installed(leadline, "mpich")
