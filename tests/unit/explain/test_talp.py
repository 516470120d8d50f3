"""POP's factors as TALP writes them: its names, its units, its formulas."""

import msgspec
import pytest

from leadline.explain.recording import Rank, Recording
from leadline.explain.talp import talp

DAY = "2026-11-30T10:00:00+00:00"


def spent(rank, node, computing, waiting, transfer):
    mpi = waiting + transfer
    return Rank(
        rank=rank, node=node, seconds=computing + mpi, mpi_s=mpi, waiting_s=waiting, calls=7
    )


def written(*ranks):
    found = talp(Recording(ranks=ranks, ranks_total=len(ranks)), DAY)
    return msgspec.json.decode(msgspec.json.encode(found))


def test_a_late_rank_on_one_node():
    said = written(spent(0, 0, 8.0, 0.0, 2.0), spent(1, 0, 4.0, 4.0, 2.0))
    assert said["dlbVersion"].startswith("3.7")
    assert said["timestamp"] == DAY
    assert said["resources"] == {"numCpus": 2, "numNodes": 1, "numMpiRanks": 2, "numGpus": 0}
    region = said["Application"]["Global"]
    assert region["elapsedTime"] == 10_000_000_000
    assert (region["usefulTime"], region["mpiTime"]) == (12_000_000_000, 8_000_000_000)
    assert region["numMpiCalls"] == 14
    assert region["parallelEfficiency"] == pytest.approx(0.6)
    assert region["mpiCommunicationEfficiency"] == pytest.approx(0.8)
    assert region["mpiLoadBalance"] == region["mpiLoadBalanceIn"] == pytest.approx(0.75)
    assert region["mpiLoadBalanceOut"] == 1
    # What TALP cannot tell apart: nobody waits for the longest rank's messages here.
    assert region["mpiSerializationEfficiency"] == 1
    assert region["mpiTransferEfficiency"] == pytest.approx(0.8)


def test_balance_within_and_between_nodes():
    ranks = [spent(0, 0, 8.0, 0.0, 0.0), spent(1, 0, 4.0, 4.0, 0.0)]
    ranks += [spent(2, 1, 3.0, 5.0, 0.0), spent(3, 1, 3.0, 5.0, 0.0)]
    region = written(*ranks)["Application"]["Global"]
    assert region["numNodes"] == 2
    assert region["mpiLoadBalanceIn"] == pytest.approx(6 / 8)
    assert region["mpiLoadBalanceOut"] == pytest.approx(4.5 / 6)
    assert region["mpiLoadBalance"] == pytest.approx(4.5 / 8)


def test_the_time_is_that_between_init_and_finalize():
    rank = msgspec.structs.replace(spent(0, 0, 8.0, 0.0, 0.0), before_s=1.0, after_s=1.0)
    assert written(rank)["Application"]["Global"]["elapsedTime"] == 6_000_000_000


def test_ranks_that_did_nothing_have_no_efficiency():
    region = written(spent(0, 0, 0.0, 0.0, 0.0))["Application"]["Global"]
    factors = [each for name, each in region.items() if "Effic" in name or "Balance" in name]
    assert factors == 8 * [0.0]
