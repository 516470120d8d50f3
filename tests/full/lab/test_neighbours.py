"""Two jobs over one backbone, and kept apart from each other."""

import json

import pytest
from tests.full.lab.conftest import made

from leadline.measure.launch.slots import available_cores

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(available_cores() < 2, reason="this machine has one core"),
]


@pytest.fixture
def towns(tmp_path):
    """Give two switches of three hosts; the link between them is as fast as a host's."""
    yield from made(tmp_path, "--nodes", 6, "--cores", 2, "--link", "100mbit", "--switches", 2)


@pytest.mark.timing
def test_a_neighbour_on_the_same_backbone_takes_half_and_one_apart_takes_none(towns):
    """The victim crosses the backbone; so does its neighbour, until one idle host moves it."""
    mpi = towns.probed("mpich-5")
    done = towns.call(
        *("run", "mpi/pingpong", "--bytes", "64K", "--hosts", "lab:h0,h3,h1,h4,h5"),
        *("--place", "5x1", "--victims", 2, "--neighbour", "none,alltoall", "--spacer", "0,1"),
        *("--oversubscribe", "--launches", 2, "--seconds", 0.5, "--minimum", 10),
        *("--mpi", mpi, "--runs", towns.runs, "--json"),
    )
    assert done.returncode == 0, done.stderr
    factors = {each["spacer"]: each for each in json.loads(done.stdout)["impacts"]}
    assert factors.keys() == {0, 1}
    assert all(each["neighbour_MBps"] > 1 for each in factors.values())
    assert factors[0]["median_ratio"] > 1.4
    assert factors[0]["median_ratio"] > 1.2 * factors[1]["median_ratio"]
