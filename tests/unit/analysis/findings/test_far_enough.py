"""How far is far enough: the smallest spacer from which on a victim is as alone."""

import dataclasses

import pytest

from leadline.analysis.findings.rules.neighbours import far_enough
from leadline.model.summary import Impact

SIZES = (8, 65536)
SPACERS = (0, 1, 2, 3)


@pytest.fixture
def told(evidence, figure):
    """Give a function from the ratio and half width at each spacer, by size, to what is found."""

    def settings(kind, spacer):
        return {"neighbour": kind, "spacer": spacer, "neighbour_bytes": 0}

    def tell(*by_size, interval=True):
        figures, impacts = [], []
        for size, ratios in zip(SIZES, by_size, strict=False):
            alone = len(figures)
            figures.append(
                figure(1e-6, size, settings=settings("none", 0), nodes=2, processes_per_node=1)
            )
            for spacer, (ratio, half) in zip(SPACERS, ratios, strict=False):
                impacts.append(
                    Impact(
                        alone=alone, disturbed=len(figures), neighbour="flood", spacer=spacer,
                        median_ratio=ratio, median_low=ratio - half if interval else None,
                        median_high=ratio + half if interval else None, p99_ratio=None,
                        p99_low=None, p99_high=None, neighbour_MBps=1.0,
                    )
                )  # fmt: skip
                figures.append(
                    figure(
                        1e-6 * ratio, size, settings=settings("flood", spacer), nodes=2,
                        processes_per_node=1,
                    )
                )  # fmt: skip
        made = evidence(figures, plan={"victims": 2})
        return list(far_enough.find(dataclasses.replace(made, impacts=tuple(impacts))))

    return tell


def test_the_widest_that_was_tried_may_be_too_near(told):
    (found,) = told([(2.0, 0.1), (1.3, 0.05)])
    assert found.severity == "notice"
    assert "a distance of 1 idle node is not enough. The victim takes 1.3x" in found.text
    assert "far_enough_spacer" not in found.evidence
    assert "wider spacers" in found.advice


def test_a_wide_interval_is_neither(told):
    (found,) = told([(2.0, 0.1), (1.01, 0.2)])
    assert "may be enough or not. The victim takes 1.0x (0.81 to 1.2)" in found.text
    assert "leadline run" in found.command


def test_every_size_has_to_be_as_alone(told):
    (found,) = told([(1.0, 0.01), (1.0, 0.01), (1.0, 0.01)], [(3.0, 0.1), (1.5, 0.1), (1.0, 0.01)])
    assert found.evidence["far_enough_spacer"] == 2
    assert "at every size" in found.text and "bytes" not in found.text
    assert "With 1 idle node the victim is slower: 1.5x" in found.text


def test_a_lucky_spacer_before_one_that_disturbs_is_not_far_enough(told):
    (found,) = told([(2.0, 0.1), (1.0, 0.01), (1.4, 0.1), (1.0, 0.01)])
    assert found.evidence["far_enough_spacer"] == 3


def test_a_neighbour_that_never_disturbs_needs_no_idle_node(told):
    (found,) = told([(1.0, 0.01), (1.01, 0.01)])
    assert "a distance of 0 idle nodes is enough" in found.text
    assert found.advice is None


def test_far_enough_stays_silent_about_one_spacer(told):
    """A victim that is as alone at the only spacer has not been shown a nearer neighbour."""
    assert not told([(1.0, 0.01)])


def test_without_intervals_nothing_is_far_enough(told):
    (found,) = told([(2.0, 0.1), (1.0, 0.01)], interval=False)
    assert "may be enough or not. The victim takes 1.0x its time alone" in found.text
