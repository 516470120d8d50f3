"""LogGP is told where a ping-pong and a stream of one library are both there, and only then."""

import msgspec
import pytest

from leadline.analysis.findings.rules.loggp import loggp
from leadline.model.description import Delivery, Series

SIZES = [2**power for power in range(0, 21, 2)]
START, PER_BYTE, GAP, OVERHEAD = 1e-6, 1e-10, 2e-7, 3e-7


@pytest.fixture
def told(evidence, figure):
    """Find from a ping-pong and other figures of the same library."""

    def find(others, series="time"):
        points = [
            figure(START + size * PER_BYTE, size, benchmark="family/echo", axes={})
            for size in SIZES
        ]
        whole = evidence([*points, *others])
        (model,) = whole.run.benchmarks
        delivery = Delivery(sides="two-sided", series=series)
        known = (Series(name="time", definition=""),)
        whole.run.benchmarks = [
            msgspec.structs.replace(model, name="family/echo", delivery=delivery, series=known)
        ]
        return list(loggp.find(whole))

    return find


def stream(figure, **changes):
    known = {"benchmark": "family/flow", "axes": {"window": 64}, "message_rate_per_s": 1 / GAP}
    return figure(GAP, 8, **(known | changes))


def test_all_four_numbers_are_told(told, figure):
    beside = {"benchmark": "family/beside", "axes": {"side": "sender"}}
    work = figure(1e-5, 8, series="computation", **beside)
    both = figure(1e-5 + OVERHEAD, 8, series="together", **beside)
    (found,) = told([stream(figure), work, both])
    numbers = found.evidence
    assert numbers["latency_and_overheads_s"] == pytest.approx(START, rel=0.02)
    assert numbers["g_s"] == GAP
    assert numbers["G_s_per_byte"] == pytest.approx(PER_BYTE, rel=0.02)
    assert numbers["o_s"] == pytest.approx(OVERHEAD, rel=0.05)
    assert numbers["L_s"] == pytest.approx(START - 2 * OVERHEAD, rel=0.1)
    assert numbers["g_low_s"] < GAP < numbers["g_high_s"]
    assert "5.0x as many" in found.advice


@pytest.mark.parametrize(
    "changes",
    [
        {"mpi": "second"},
        {"axes": {}},
        {"message_rate_per_s": 2 / GAP},
        {"processes": 4, "processes_per_node": 4},
    ],
)
def test_loggp_stays_silent_without_a_stream_of_this_library(told, figure, changes):
    assert told([stream(figure, **changes)]) == []


def test_what_is_no_ping_pong_counts_for_nothing(told, figure):
    assert told([stream(figure)], series="other") == []
