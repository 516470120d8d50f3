"""A night of `watch` as Prometheus reads it."""

import pytest

from leadline.exchange.exports.prometheus import night_text
from leadline.model.watched import WatchedFigure, WatchedNight

CONFIRMED = WatchedFigure(
    name='send "8"', said="slower", ratio=1.5, chance=1e-6, fresh_ratio=1.4, fresh_launches=6,
    old_mpi="mpich-4", old_ratio=1.3, old_low=1.2, old_high=1.4,
)  # fmt: skip
USUAL = WatchedFigure(name="send 64", said="usual", ratio=1.02, chance=0.4)
LEARNING = WatchedFigure(name="new one", said="learning", ratio=1.0, chance=1.0)


def samples(*figures, **night):
    parser = pytest.importorskip("prometheus_client.parser", reason="needs prometheus-client")
    text = night_text(WatchedNight(summary="", figures=figures, **night), "quick")
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in parser.text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_verdicts_are_counted_and_the_machine_is_told():
    found = samples(CONFIRMED, USUAL, LEARNING, machine_ratio=1.25, slow_launches=2)
    plan = ("plan", "quick")
    counts = {
        labels[1][1]: value
        for (name, *labels), value in found.items()
        if name == "leadline_watch_figures"
    }
    assert {verdict: count for verdict, count in counts.items() if count} == {
        "slower": 1,
        "usual": 1,
        "learning": 1,
    }
    assert counts["open"] == counts["noise"] == 0
    assert found["leadline_watch_machine_ratio", plan] == 1.25
    assert found["leadline_watch_slow_launches", plan] == 2


def test_a_figure_has_its_alarm_and_what_was_measured_again():
    found = samples(CONFIRMED, USUAL, LEARNING)
    slower = (("figure", 'send "8"'), ("plan", "quick"))
    usual = (("figure", "send 64"), ("plan", "quick"))
    assert found["leadline_watch_alarm", *slower] == 1
    assert found["leadline_watch_alarm", *usual] == 0
    assert found["leadline_watch_ratio", *slower] == 1.5
    assert found["leadline_watch_again_ratio", *slower] == 1.4
    assert found["leadline_watch_again_launches", *slower] == 6
    assert found["leadline_watch_earlier_software_ratio", *slower] == 1.3
    assert ("leadline_watch_again_ratio", *usual) not in found
    learning = (("figure", "new one"), ("plan", "quick"))
    assert found["leadline_watch_alarm", *learning] == 0
    assert ("leadline_watch_ratio", *learning) not in found


def test_figures_of_one_name_stay_apart():
    found = samples(USUAL, USUAL)
    names = {labels[0][1] for (name, *labels) in found if name == "leadline_watch_ratio"}
    assert names == {"send 64", "send 64 (2)"}
