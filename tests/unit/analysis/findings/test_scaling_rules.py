"""Rules about more processes and other placements, where the truth is known."""

import math

import msgspec
import pytest

from leadline.analysis.findings.rules.growth import grows_with_processes, weak_scaling
from leadline.analysis.findings.rules.placements import placements_compared
from leadline.analysis.findings.rules.reported import communication_share
from leadline.analysis.findings.rules.speedup import speedup, speedup_stops


@pytest.fixture
def work(figure):
    """A figure of so much work on so many processes, one on each node."""

    def make(processes, seconds, size=1.0, **changes):
        metrics = {"problem_size": size, **changes.pop("metrics", {})}
        place = {"processes": processes, "nodes": processes, "processes_per_node": 1} | changes
        return figure(seconds, None, metrics=metrics, **place)

    return make


def test_work_that_halves_goes_on_scaling(evidence, work):
    whole = evidence([work(n, 8.0 / n) for n in (1, 2, 4, 8)])
    (found,) = speedup.find(whole)
    assert found.evidence["speed_up"] == pytest.approx(8)
    assert found.evidence["efficiency_fraction"] == pytest.approx(1)
    assert found.evidence["karp_flatt_fraction"] == pytest.approx(0)
    assert list(speedup_stops.find(whole)) == []


def test_work_stops_where_waiting_outgrows_it(evidence, work):
    # 8/n of work and 0.1 n of waiting: the least is at sqrt(80), between 8 and 16.
    whole = evidence([work(n, 8.0 / n + 0.1 * n) for n in (1, 2, 4, 8, 16, 32)])
    (found,) = speedup_stops.find(whole)
    assert found.evidence["fastest_processes"] == 8
    assert found.evidence["stops_at_processes"] == 8
    assert 7 < found.evidence["predicted_most_processes"] < 12
    assert found.evidence["slowdown_at_most"] == pytest.approx((0.25 + 3.2) / 1.8)
    assert "Join small messages" in found.advice
    assert list(speedup.find(whole)) == []


def test_what_goes_on_beside_it_is_named(evidence, work):
    stops = [work(n, 4.0 / n + n, mpi="first") for n in (1, 2, 4, 8)]
    goes = [work(n, 8.0 / n, mpi="second") for n in (1, 2, 4, 8)]
    (found,) = speedup_stops.find(evidence([*stops, *goes]))
    assert "with second scales to 8 processes (1.00 s)" in found.text


def test_work_that_never_gains_is_told_once(evidence, work):
    flat = [work(n, 3.0, way=way) for n in (2, 4, 8) for way in ("plain", "clever")]
    (found,) = speedup_stops.find(evidence(flat))
    assert found.evidence["curves"] == 2 and found.text.startswith("More processes gain nothing: ")


def test_figures_that_do_not_tell_their_work_are_left_alone(evidence, figure):
    plain = [figure(1e-6, 8, processes=n, nodes=n, processes_per_node=1) for n in (2, 4, 8)]
    for rule in (speedup, speedup_stops, weak_scaling):
        assert list(rule.find(evidence(plain))) == []


@pytest.mark.parametrize(("seconds", "severity"), [(1.02, "fact"), (1.8, "notice")])
def test_weak_scaling_holds_or_breaks(evidence, work, seconds, severity):
    whole = evidence([work(1, 1.0, 100), work(4, (1 + seconds) / 2, 400), work(16, seconds, 1600)])
    (found,) = weak_scaling.find(whole)
    assert found.severity == severity
    assert found.evidence["weak_ratio"] == pytest.approx(seconds, rel=0.01)
    assert ("holds" in found.text) is (severity == "fact")


def test_more_iterations_are_not_worse_scaling(evidence, work):
    whole = evidence(
        [
            work(1, 1.0, 100, metrics={"iterations": 10}),
            work(4, 2.0, 400, metrics={"iterations": 20}),
        ]
    )
    (found,) = weak_scaling.find(whole)
    assert found.severity == "fact" and found.evidence["weak_ratio"] == pytest.approx(1, rel=0.01)


def placed(figure, nodes, each, seconds, **changes):
    place = {"processes": nodes * each, "nodes": nodes, "processes_per_node": each}
    return figure(seconds, changes.pop("size", 1024), **place, **changes)


def test_processes_packed_on_fewer_nodes_that_are_slower(evidence, figure):
    whole = evidence([placed(figure, 4, 1, 1e-3), placed(figure, 2, 2, 1.5e-3)])
    (found,) = placements_compared.find(whole)
    assert found.severity == "notice" and "on more nodes (4x1) is 1.5x faster" in found.text
    assert found.evidence["slower_ratio"] == pytest.approx(1.5, rel=0.01)
    assert found.evidence["slower_ratio_low"] <= 1.5 <= found.evidence["slower_ratio_high"]
    assert "--place" in found.command


def test_communication_that_explains_it_is_said(evidence, figure):
    shares = ({"communication_percent": 10.0}, {"communication_percent": 55.0})
    pair = [
        placed(figure, 4, 1, 1e-3, metrics=shares[0]),
        placed(figure, 2, 2, 2e-3, metrics=shares[1]),
    ]
    (found,) = placements_compared.find(evidence(pair))
    # 1.1 ms against 0.1 ms of communication, of 1 ms that is lost.
    assert found.evidence["explained_by_communication_fraction"] == pytest.approx(1.0)
    assert "share its memory" not in found.text


def test_like_placements_are_not_told(evidence, figure):
    whole = evidence([placed(figure, 4, 1, 1e-3), placed(figure, 2, 2, 1.02e-3)])
    assert list(placements_compared.find(whole)) == []


def test_placements_compared_stays_silent_of_more_processes(evidence, figure):
    whole = evidence([placed(figure, 4, 1, 1e-3), placed(figure, 4, 2, 5e-3)])
    assert list(placements_compared.find(whole)) == []


def test_share_of_communication(evidence, figure):
    figures = [
        placed(figure, n, 1, 1.0, size=None, metrics={"communication_percent": share})
        for n, share in ((2, 2.0), (4, 4.0), (8, 30.0))
    ]
    (found,) = communication_share.find(evidence(figures))
    assert found.evidence["communication_fraction"] == 0.04
    assert found.severity == "fact" and "on 8x1" in found.text
    high = [
        msgspec.structs.replace(one, metrics={"communication_percent": 60.0}) for one in figures
    ]
    (found,) = communication_share.find(evidence(high))
    assert found.severity == "notice"
    assert list(communication_share.find(evidence([figure()]))) == []


def collective(figure, seconds):
    return [placed(figure, n, 1, seconds(n)) for n in (4, 8, 16, 64)]


def test_time_beyond_the_logarithm_of_the_processes(evidence, figure):
    (found,) = grows_with_processes.find(evidence(collective(figure, lambda n: 1e-5 * n)))
    assert found.severity == "notice"
    assert found.evidence["growth_factor"] == pytest.approx(16 / 3)
    (same,) = grows_with_processes.find(evidence(collective(figure, lambda n: 1e-5 * math.log(n))))
    assert same.severity == "fact" and same.evidence["off_fraction"] < 1e-9
    assert not list(grows_with_processes.find(evidence(collective(figure, lambda n: 1e-5))))


def test_two_numbers_of_processes_show_no_growth(evidence, figure):
    pair = [placed(figure, 2, 1, 1e-5), placed(figure, 64, 1, 1.0)]
    assert not list(grows_with_processes.find(evidence(pair)))


def test_processes_of_one_node_are_a_curve_too(evidence, figure):
    figures = [
        placed(figure, 1, n, 8.0 / n, size=None, metrics={"problem_size": 1.0}) for n in (1, 2, 4)
    ]
    (found,) = speedup.find(evidence(figures))
    assert found.evidence["speed_up"] == pytest.approx(4)


def test_a_number_of_processes_in_two_places_keeps_them_apart(evidence, figure):
    places = [(2, 1), (4, 1), (1, 2), (2, 2)]
    figures = [
        placed(figure, nodes, each, 8.0 / (nodes * each), size=None, metrics={"problem_size": 1.0})
        for nodes, each in places
    ]
    (found,) = speedup.find(evidence(figures))
    assert found.evidence["speed_up"] == found.evidence["least_speed_up"] == pytest.approx(2)
    assert "in 2 cases" in found.text


def test_weak_scaling_within_one_node_is_told(evidence, figure):
    figures = [
        placed(figure, 1, n, 1.0 + 0.5 * (n > 1), size=None, metrics={"problem_size": 100.0 * n})
        for n in (1, 2)
    ]
    (found,) = weak_scaling.find(evidence(figures))
    assert found.evidence["weak_ratio"] == pytest.approx(1.5, rel=0.01)
