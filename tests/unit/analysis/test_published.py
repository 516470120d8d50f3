"""Published results beside figures that are known."""

import msgspec
import pytest
from launched import figure

from leadline.analysis.results.published import hold
from leadline.measure.plan.plans import read_plan, shipped_plans
from leadline.model.published import Claim, Row


def timed(seconds, order, size=65536, **changes):
    point = figure([seconds], size=size, axes={"bytes": size, "algorithm": "ring"}, settings={})
    return msgspec.structs.replace(point, knobs={"order": order}, **changes)


def claim(quantity="saving", low=0.2, high=0.3, at=None, **changes):
    own = {
        "text": "t", "source": "s", "quantity": quantity,
        "of": {"order": "smp"}, "against": {"order": "round-robin"},
        "rows": (Row(at={"bytes": "64K"} if at is None else at, low=low, high=high),),
    }  # fmt: skip
    return Claim(**{**own, **changes})


FIGURES = (timed(4e-3, "round-robin"), timed(3e-3, "smp"), timed(9.0, "smp", size=8))


@pytest.mark.parametrize(
    ("quantity", "found", "deviation"),
    [("saving", 0.25, 0.0), ("slowdown", 0.75, 0.45)],
)
def test_two_figures_make_a_saving_and_a_slowdown(quantity, found, deviation):
    (held,) = hold([claim(quantity)], FIGURES)
    assert held.found == pytest.approx(found)
    assert held.deviation == pytest.approx(deviation)
    assert held.points == (1, 0)


def test_what_the_claim_is_held_against_stays_where_it_chooses_itself():
    along = claim("slowdown", of={}, against={"order": "round-robin"}, at={"order": "smp"})
    (held,) = hold([along], FIGURES[:2])
    assert held.found == pytest.approx(0.75)


def test_what_lies_below_is_negative():
    (held,) = hold([claim(low=0.4, high=0.5)], FIGURES)
    assert held.deviation == pytest.approx(-0.15)


@pytest.mark.parametrize(
    "at",
    [{"bytes": "32K"}, {"bytes": "64K", "algorithm": "tree"}, {"nothing": 1}, {"bytes": "what"}],
)
def test_no_figure_is_no_result(at):
    (held,) = hold([claim(at=at)], FIGURES)
    assert held.found is None and held.deviation is None


def test_two_figures_that_fit_are_no_result():
    (held,) = hold([claim()], [*FIGURES, timed(1.0, "smp")])
    assert held.found is None


def test_a_figure_with_wrong_data_is_no_result():
    (held,) = hold([claim()], [FIGURES[0], timed(3e-3, "smp", verified=False)])
    assert held.found is None


def test_a_figure_alone_has_a_time_and_a_bandwidth():
    alone = {"against": {}, "low": 1.0, "high": 1.0}
    figures = (timed(2.0, "smp", bandwidth_MBps=5.0),)
    assert hold([claim("seconds", **alone)], figures)[0].found == 2.0
    assert hold([claim("bandwidth_MBps", **alone)], figures)[0].found == 5.0
    assert hold([claim("maximum_over_average", **alone)], figures)[0].found is None


def test_the_shipped_plans_with_published_results_name_their_sources():
    plans = [read_plan(name) for name in shipped_plans() if name.startswith("published-")]
    assert plans
    for plan in plans:
        assert plan.platform and plan.claims
        assert all(each.source and each.text and each.rows for each in plan.claims)
