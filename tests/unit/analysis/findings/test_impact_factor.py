"""What neighbours cost a victim, in words."""

import dataclasses

import pytest

from leadline.analysis.findings.rules.neighbours import impact_factor
from leadline.model.summary import Impact


def impact(alone, disturbed, ratio, spacer=0, neighbour="flood", **changes):
    usual = {
        "median_low": ratio * 0.95,
        "median_high": ratio * 1.05,
        "p99_ratio": 2 * ratio,
        "p99_low": None,
        "p99_high": None,
        "neighbour_MBps": 12.0,
    }
    return Impact(
        alone=alone,
        disturbed=disturbed,
        neighbour=neighbour,
        spacer=spacer,
        median_ratio=ratio,
        **(usual | changes),
    )


@pytest.fixture
def told(evidence, figure):
    """Give a function from impacts to what the rule finds in a run of six figures."""

    def settings(kind, spacer):
        return {"neighbour": kind, "spacer": spacer, "neighbour_bytes": 0}

    def tell(*impacts, **plan):
        figures = [
            figure(1e-6 * (1 + index), size, settings=settings(kind, spacer), nodes=2,
                   processes_per_node=1)
            for size in (8, 65536)
            for index, (kind, spacer) in enumerate((("none", 0), ("flood", 0), ("flood", 2)))
        ]  # fmt: skip
        made = evidence(figures, plan={"victims": 2, **plan})
        return list(impact_factor.find(dataclasses.replace(made, impacts=impacts)))

    return tell


def test_the_worst_size_stands_for_its_curve(told):
    (finding,) = told(impact(0, 1, 1.5), impact(3, 4, 3.0))
    assert finding.evidence["median_ratio"] == 3.0
    assert "family/thing, 64 KiB" in finding.text
    assert "Worst of 2 such figures." in finding.text


def test_a_neighbour_that_does_nothing_is_a_fact(told):
    (finding,) = told(impact(0, 1, 1.01, median_low=0.97, p99_ratio=None, neighbour_MBps=None))
    assert finding.severity == "fact"
    assert "Neighbour flood has no clear effect on family/thing, 8 B: 1.0x" in finding.text
    assert finding.advice is None


def test_each_neighbour_has_its_own(told):
    found = told(impact(0, 1, 2.0), impact(0, 1, 1.4, neighbour="drip"))
    assert len(found) == 2


def test_impact_factor_stays_silent_where_nothing_was_beside(told):
    assert told() == []
