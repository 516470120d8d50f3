"""Every plot is a pure function of a panel that Vega-Lite accepts."""

import json

import msgspec
import pytest
from more_panels import every_kind

from leadline.output.html.charts import panels_with_data
from leadline.output.html.plots import PLOTS


@pytest.fixture(scope="module")
def drawn(run, analysis, kept):
    return (*panels_with_data(run, analysis, kept), *every_kind(run, analysis))


def specifications(drawn):
    return [
        (plot, panel, plot.specification(panel))
        for plot in PLOTS
        for panel in drawn
        if plot.applies(panel)
    ]


def test_every_plot_has_something_to_draw_on(drawn):
    assert {plot.name for plot in PLOTS} == {plot.name for plot, _, _ in specifications(drawn)}
    assert len({plot.name for plot in PLOTS}) == len(PLOTS)


def test_every_panel_has_a_chart_of_figures(drawn):
    for panel in drawn:
        if not panel.points:
            continue
        names = {plot.name for plot in PLOTS if plot.applies(panel)}
        assert ("latency" in names) != ("interval" in names)


def test_specifications_are_json_with_rows(drawn):
    for plot, _, specification in specifications(drawn):
        again = json.loads(msgspec.json.encode(specification))
        assert again["data"]["values"], plot.name


def test_plots_change_nothing(drawn):
    before = msgspec.json.encode(drawn)
    first = [specification for *_, specification in specifications(drawn)]
    second = [specification for *_, specification in specifications(drawn)]
    assert first == second
    assert msgspec.json.encode(drawn) == before


def test_vega_lite_draws_marks(drawn):
    convert = pytest.importorskip("vl_convert", reason="needs vl-convert-python")
    for plot, panel, specification in specifications(drawn):
        fixed = {**specification, "width": 400}
        svg = convert.vegalite_to_svg(fixed)
        assert "NaN" not in svg, (plot.name, panel.title)
        assert svg.count("<path") > len(panel.curves), (plot.name, panel.title)


def test_figures_in_doubt_are_ringed(run, analysis, kept):
    plot = next(plot for plot in PLOTS if plot.name == "latency")
    doubted = list(analysis.points)
    assert "doubtful" not in str(plot.specification(panels_with_data(run, analysis, kept)[0]))
    doubted[2] = msgspec.structs.replace(doubted[2], verified=False)
    panel = panels_with_data(run, msgspec.structs.replace(analysis, points=tuple(doubted)), kept)[0]
    assert "doubtful" in str(plot.specification(panel))
    assert [row["mark"] for row in panel.points[:4]] == ["", "", "wrong data", ""]


def test_size_zero_is_drawn_for_times_and_left_out_of_rates(run, analysis, kept):
    panel = panels_with_data(run, analysis, kept)[0]
    by_name = {plot.name: plot.specification(panel) for plot in PLOTS if plot.applies(panel)}
    sizes = {
        name: {row["bytes"] for row in by_name[name]["data"]["values"]}
        for name in ("latency", "bandwidth")
    }
    assert sizes["latency"] - sizes["bandwidth"] == {0}
    assert "symlog" in str(by_name["latency"])
    assert "symlog" not in str(by_name["bandwidth"])
