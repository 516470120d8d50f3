"""A platform from measured curves: what goes in comes out."""

import pytest
from figures import bare

from leadline.analysis.results.calibration import (
    Curve,
    Measured,
    error_of,
    platform_of,
    with_errors,
)
from leadline.model.summary import Sweep


def figure(size, seconds, nodes=2):
    return bare(seconds, size, nodes=nodes, processes_per_node=2 // nodes, mpi="m")


def curve(time, nodes=2, switches=()):
    figures = tuple(figure(2**power, time(2**power), nodes) for power in range(21))
    sweep = Sweep(
        points=tuple(range(21)), benchmark="b", series="s", variant="", mpi="m", processes=2,
        nodes=nodes, latency_s=figures[0].median_s, asymptotic_MBps=None, half_size_bytes=None,
        best_size_bytes=None, best_MBps=None, switches_bytes=switches,
    )  # fmt: skip
    return Curve(figures, sweep)


def simulated(platform, size, links):
    """What the simulator computes for a message between nodes (docs/explanation/prediction.md)."""
    network, software = platform.network, platform.software

    def at(factors):
        return next(each.factor for each in reversed(factors) if each.bytes <= size)

    sides = 2 * software.send[0].seconds if size < software.eager_bytes else 0.0
    latency = links * network.latency_s * at(network.latency_factors)
    return sides + latency + (size + 16) / (network.bandwidth * at(network.bandwidth_factors))


def measured(between, within=None, overhead_s=None):
    return Measured(
        within=within, between=between, overhead_s=overhead_s, cores=2, nodes=2, runs=("r",)
    )


CURVES = [
    lambda n: 5e-6 + n / 1e9,
    lambda n: 5e-6 + n / 1e9 if n < 65536 else 12e-6 + n / 2e9,
    lambda n: 2e-6 + n / 8e9 if n < 4096 else 4e-6 + n / 1e9,
    # Beyond a cache times grow faster than sizes.
    lambda n: 1e-6 + n / 8e9 + max(0, n - 2**18) / 3e9,
]


@pytest.mark.parametrize("links", [1, 2, 5])
@pytest.mark.parametrize("time", CURVES)
def test_the_platform_has_the_measured_times(time, links):
    found = measured(curve(time, switches=(65536,)), curve(lambda n: 1e-6 + n / 9e9, 1), 0.3e-6)
    platform = platform_of(found, "mine", {"kind": "crossbar"}, 8, links)
    for power in range(21):
        assert simulated(platform, 2**power, links) == pytest.approx(time(2**power), rel=0.06)
    assert platform.software.eager_bytes == 65536
    assert [each.within_node for each in platform.calibration] == [False, True]


def test_no_side_of_a_message_takes_more_than_there_is():
    found = measured(curve(CURVES[0]), curve(lambda n: 1e-6 + n / 9e9, 1), overhead_s=50e-6)
    platform = platform_of(found, "mine", {"kind": "crossbar"}, 8, 2)
    assert platform.software.send[0].seconds == pytest.approx(0.4e-6, rel=0.01)


def test_what_was_not_measured_is_told():
    alone = platform_of(measured(curve(CURVES[0])), "mine", {"kind": "crossbar"}, 8, 2)
    assert "Nothing was measured within a node" in alone.assumed
    assert "What each side of a message takes was not measured" in alone.assumed
    assert len(alone.calibration) == 1


def test_the_error_is_the_largest_and_is_stated_rounded_up():
    platform = platform_of(measured(curve(CURVES[0])), "mine", {"kind": "crossbar"}, 8, 2)
    (calibration,) = platform.calibration
    figures = [figure(size, 1.034 * seconds) for size, seconds in calibration.one_way]
    error = error_of(calibration, figures)
    assert error == pytest.approx(0.034)
    assert with_errors(platform, [error]).calibration[0].error == 0.04
    assert error_of(calibration, figures[1:]) == float("inf")


def test_a_smallest_message_that_was_disturbed_makes_no_other_slow():
    found = measured(curve(lambda n: 20e-6 if n == 1 else 2e-6 + n / 1e9))
    platform = platform_of(found, "mine", {"kind": "crossbar"}, 8, 2)
    for power in range(1, 21):
        size = 2**power
        assert simulated(platform, size, 2) == pytest.approx(2e-6 + size / 1e9, rel=0.06)
