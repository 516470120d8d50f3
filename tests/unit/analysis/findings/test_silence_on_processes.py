"""Findings on the number of processes stay silent where the work is not comparable."""

import pytest
from silent_findings import told

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rules.growth import grows_with_processes, weak_scaling
from leadline.analysis.findings.rules.overlap import overlap
from leadline.analysis.findings.rules.reported import communication_share
from leadline.analysis.findings.rules.speedup import speedup, speedup_stops


def placed(figure, processes: int, seconds: float, **changes: object):
    place = {"processes": processes, "nodes": processes, "processes_per_node": 1}
    return figure(seconds, None, **place, **changes)


WORK = {"problem_size": 1.0}


def test_grows_with_processes_stays_silent_where_each_hands_over_more(evidence, figure) -> None:
    def times(blocks) -> Evidence:
        return evidence(
            [placed(figure, n, 1e-5 * n, bandwidth_MBps=blocks(n) * 0.8 / n) for n in (2, 4, 8, 16)]
        )

    assert told(grows_with_processes, times(lambda n: 1))
    assert not told(grows_with_processes, times(lambda n: n))


def test_grows_with_processes_stays_silent_of_divided_work(evidence, figure) -> None:
    def times(**changes: object) -> Evidence:
        return evidence([placed(figure, n, 1e-5 * n, **changes) for n in (2, 4, 8, 16)])

    assert told(grows_with_processes, times())
    assert not told(grows_with_processes, times(metrics=WORK))


@pytest.mark.parametrize("oversubscribed_", [False, True])
def test_speedup_stays_silent_of_ranks_that_share_cores(evidence, figure, oversubscribed_) -> None:
    figures = [
        placed(figure, n, 8.0 / n, metrics=WORK, oversubscribed=oversubscribed_) for n in (1, 2, 4)
    ]
    assert told(speedup, evidence(figures)) is not oversubscribed_


@pytest.mark.parametrize("metrics", [WORK, {}])
def test_speedup_stops_stays_silent_of_what_is_not_divided(evidence, figure, metrics) -> None:
    figures = [placed(figure, n, 8.0 / n + n, metrics=metrics) for n in (1, 2, 4, 8)]
    assert told(speedup_stops, evidence(figures)) is bool(metrics)


def test_work_that_gains_little_more_is_said_to_gain_little(evidence, figure) -> None:
    seconds = {1: 10.0, 2: 5.0, 4: 3.0, 8: 2.9}
    figures = [placed(figure, n, each, metrics=WORK) for n, each in seconds.items()]
    (found,) = speedup_stops.find(evidence(figures))
    assert "stops scaling at 4 processes: 10.0 s on 1, 3.00 s on 4; 8 processes take 2.90 s." in (
        found.text
    )
    assert "fastest" not in found.text


@pytest.mark.parametrize(
    ("share", "words"), [(80.0, "Join small messages"), (3.0, "communication is only 3 %")]
)
def test_messages_are_blamed_only_where_they_take_the_time(evidence, figure, share, words) -> None:
    metrics = {**WORK, "communication_percent": share}
    figures = [placed(figure, n, 8.0 / n + n, metrics=metrics) for n in (1, 2, 4, 8)]
    (found,) = speedup_stops.find(evidence(figures))
    assert words in found.advice


@pytest.mark.parametrize(
    ("way", "words"), [("plain", "Call MPI_Test"), ("clever", "way=clever does not help")]
)
def test_what_was_done_already_is_not_advised_again(evidence, figure, way, words) -> None:
    series = ("communication", "computation", "together")
    times = zip(series, (1e-5, 1e-5, 2e-5), strict=True)
    (found,) = overlap.find(evidence([figure(s, 8, series=name, way=way) for name, s in times]))
    assert words in found.advice


@pytest.mark.parametrize("grows", [True, False])
def test_weak_scaling_stays_silent_of_work_that_does_not_grow(evidence, figure, grows) -> None:
    figures = [
        placed(figure, n, 1.0 + n, metrics={"problem_size": 100.0 * (n if grows else 1)})
        for n in (1, 4, 16)
    ]
    assert told(weak_scaling, evidence(figures)) is grows


def test_communication_share_stays_silent_of_other_metrics(evidence, figure) -> None:
    assert told(communication_share, evidence([figure(metrics={"communication_percent": 90.0})]))
    assert not told(communication_share, evidence([figure(metrics={"communication_us": 90.0})]))
