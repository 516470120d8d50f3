"""Answers whose figures were disturbed say so where they stand."""

import pytest

from leadline.analysis.findings.conclude import findings


def told(evidence, figure, interrupted, **changes):
    changes["flags"] = {"preempted": interrupted}
    figures = [figure(1e-6, **changes), figure(5e-7, way="clever", **changes)]
    return [one for one in findings(evidence(figures)) if one.kind == "variants_compared"]


@pytest.mark.parametrize(("interrupted", "sure"), [(50, True), (340, False)])
def test_an_answer_of_disturbed_figures_is_likely_only(evidence, figure, interrupted, sure) -> None:
    (found,) = told(evidence, figure, interrupted)
    assert ("Likely only" not in found.text) is sure
    assert (found.gain is not None) is sure
    if not sure:
        assert found.text.endswith(
            " Likely only: other programs interrupted 34 % of these repetitions."
        )
        assert found.evidence["preempted_fraction"] == 0.34


def test_figures_that_others_shaped_answer_nothing(evidence, figure) -> None:
    assert told(evidence, figure, 600) == []


def test_choices_that_share_cores_alike_are_compared_for_such_jobs(evidence, figure) -> None:
    (found,) = told(evidence, figure, 600, oversubscribed=True)
    assert "2.0x faster" in found.text and found.gain is None
    assert found.text.endswith(
        " Measured with more processes than cores: so it is only where cores are shared."
    )
    assert "other programs" not in found.text


def test_doubts_about_the_measuring_are_not_doubted_themselves(evidence, figure) -> None:
    disturbed = figure(1e-6, flags={"preempted": 340})
    (found,) = [one for one in findings(evidence([disturbed])) if one.kind == "disturbed"]
    assert "Likely only" not in found.text
