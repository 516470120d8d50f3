"""Waits for requests under `leadline explain`: whose message is missing is seen from outside."""

import pytest
from injected.hanging import begun

pytestmark = pytest.mark.mpi


@pytest.fixture
def stuck(mpich):
    started = []

    def stuck(way, ranks):
        installation, program = mpich
        started.append(begun(installation, program, way, ranks))
        return started[-1].wait_for(ranks).stuck()[1]

    yield stuck
    for each in started:
        each.end()


def test_of_several_requests_the_one_that_is_missing_is_named(stuck):
    said = stuck("missing_partner_of_all", 3)
    assert (said["verdict"], said["missing"]) == ("missing_partner", [2])
    assert said["ranks"][0]["call"] == "MPI_Waitall"
    assert said["findings"][0]["fix"] == "Look for the send that rank 2 leaves out: rank 0, tag 1."


def test_a_wait_for_one_message_shows_it(stuck):
    said = stuck("missing_start", 2)
    assert (said["verdict"], said["missing"]) == ("missing_partner", [0])
    rank = said["ranks"][1]
    assert (rank["call"], rank["peer"], rank["tag"]) == ("MPI_Wait", 0, 5)
    assert rank["communicator"] == "MPI_COMM_WORLD"
