"""Findings on choices and launches stay silent where different work is compared."""

import pytest
from silent_findings import declared, told

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rules.answers import fast_but_wrong
from leadline.analysis.findings.rules.settings import knobs_compared
from leadline.analysis.findings.rules.steadiness import launch_scatter
from leadline.analysis.findings.rules.variants import variants_compared
from leadline.model.description import Series


def test_fast_but_wrong_stays_silent_of_another_task(evidence, figure) -> None:
    whole = evidence([figure(2e-6), figure(1e-6, way="clever", verified=False)])
    assert told(fast_but_wrong, whole)
    assert not told(fast_but_wrong, declared(whole, ways=False))


def test_launch_scatter_stays_silent_of_different_tasks(evidence, figure) -> None:
    restless = tuple(1e-6 * (1.0 + 0.8 * (number % 2)) for number in range(12))
    whole = evidence(
        [figure(1e-6, launches=12),
         figure(1.4e-6, way="clever", launches=12, launch_medians_s=restless)]
    )  # fmt: skip
    assert told(launch_scatter, whole)
    assert not told(launch_scatter, declared(whole, ways=False))


@pytest.mark.parametrize("ends_by", [(), ("way",)])
def test_variants_compared_stays_silent_of_other_ends(evidence, figure, ends_by) -> None:
    whole = evidence([figure(2e-6), figure(1e-6, way="clever")])
    series = (Series(name="time", definition="", ends_by=ends_by),)
    assert told(variants_compared, declared(whole, series=series)) is not bool(ends_by)


def test_knobs_compared_stays_silent_of_what_runs_beside(evidence, figure) -> None:
    def pair(knob: str) -> Evidence:
        return evidence([figure(1e-6, knobs={knob: "default"}), figure(9e-7, knobs={knob: "x"})])

    assert told(knobs_compared, pair("limit"))
    assert not told(knobs_compared, pair("beside"))
