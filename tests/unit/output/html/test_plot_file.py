"""A chart alone: complete, as large as asked for, readable in both themes, with its own data."""

import csv
import io
import json
import re
from xml.etree import ElementTree

import msgspec
import pytest

from leadline.core.errors import UserError
from leadline.output.html.charts import Chart, charts, panels_with_data
from leadline.output.html.plot_file import FORMS, THEMES, Look, alone, picture, table
from leadline.output.html.plots import PLOTS

pytest.importorskip("vl_convert", reason="needs vl-convert-python")


@pytest.fixture(scope="module")
def every(run, analysis, kept):
    """A chart of each plot that the example has something for."""
    found = charts(panels_with_data(run, analysis, kept))
    return {chart.plot.name: chart for chart in reversed(found)}


def svg(chart, **look):
    return picture(alone(chart, Look(**look)), "svg").decode()


def test_a_chart_is_a_plot_that_applies(run, analysis, kept):
    found = charts(panels_with_data(run, analysis, kept))
    assert all(isinstance(one, Chart) and one.plot.applies(one.panel) for one in found)
    names = [one.plot.name for one in found if one.panel is found[0].panel]
    assert len(names) > 3 and names == [plot.name for plot in PLOTS if plot.name in names]


@pytest.mark.parametrize("theme", THEMES)
def test_every_plot_stands_alone_in_each_theme(every, theme):
    for name, chart in every.items():
        specification = alone(chart, Look(theme=theme))
        assert "var(--" not in json.dumps(specification), name
        drawn = picture(specification, "svg").decode()
        assert THEMES[theme]["paper"] in drawn and THEMES[theme]["muted"] in drawn, name
        assert "NaN" not in drawn, name
        for family in re.findall('font-family="([^"]*)"', drawn):
            assert family.endswith("sans-serif"), name


def test_a_chart_is_as_large_as_asked_for(every):
    for name in ("latency", "distribution"):
        drawn = svg(every[name], width=333, height=222)
        assert re.search(r'<svg[^>]* width="333" height="222"', drawn)
        assert re.search(r'<svg[^>]* width="500"', svg(every[name], width=500))


@pytest.mark.parametrize("name", ["latency", "bandwidth"])
def test_the_legend_fits_into_a_column_of_a_paper(every, name):
    panel = every[name].panel
    curves = ("mpich-4.0", "mpich-4.0, algorithm=recursive", "openmpi-5.0.11, algorithm=shared")
    points = [
        {**point, "curve": curve} for curve in curves for point in panel.points[: len(panel.sizes)]
    ]
    drawn = every[name]._replace(
        panel=msgspec.structs.replace(panel, curves=curves, figures=(), points=tuple(points))
    )
    narrow, wide = (re.findall(r"<text[^>]*>([^<]*)", svg(drawn, width=at)) for at in (238, 480))
    assert set(curves) <= set(wide)
    labels = {part for curve in curves for part in curve.split(", ")}
    assert {each for each in narrow if "mpi" in each or "=" in each} == {"mpich-4.0"}
    assert labels <= set(re.findall(r"<tspan[^>]*>([^<]*)", svg(drawn, width=238))) | set(narrow)


def test_each_form_is_what_its_name_says(every):
    specification = alone(every["latency"], Look())
    begins = {"svg": b"<svg", "pdf": b"%PDF", "png": b"\x89PNG", "vl.json": b"{", "csv": b"curve"}
    assert set(begins) == set(FORMS)
    for form, beginning in begins.items():
        assert picture(specification, form).startswith(beginning), form


def test_a_picture_says_what_it_shows(every):
    root = ElementTree.fromstring(svg(every["latency"]))
    description = next(root.iter("{http://www.w3.org/2000/svg}desc")).text
    assert "mpi/pingpong" in description and "message size" in description
    assert root.get("role") == "img"


def test_scale_makes_more_dots(every):
    def size(content):
        return [int.from_bytes(content[at : at + 4], "big") for at in (16, 20)]

    specification = alone(every["interval"], Look(width=300))
    once, thrice = (size(picture(specification, "png", scale)) for scale in (1, 3))
    assert once[0] == 300 and thrice == [3 * side for side in once]


def test_a_specification_needs_nothing_else(every):
    again = json.loads(picture(alone(every["latency"], Look(title="Time")), "vl.json"))
    assert again["$schema"].startswith("https://vega.github.io/schema/vega-lite/v")
    assert again["width"] == 480 and again["config"]["range"]["category"]
    assert again["title"]["text"] == "Time"
    assert "mpi/pingpong" in again["description"]


def test_data_are_those_of_the_chart(every):
    for name, chart in every.items():
        specification = alone(chart, Look())
        values = specification["data"]["values"]
        rows = list(csv.DictReader(io.StringIO(table(values), newline="")))
        assert list(rows[0]) == list(values[0]), name
        long = sum(
            max([len(c) for c in row.values() if isinstance(c, list)] or [1]) for row in values
        )
        assert len(rows) == long, name


def test_a_row_of_lists_is_many_rows():
    rows = [{"a": "x,y", "b": [1, 2], "c": [3.5, None]}, {"a": None, "b": [], "c": []}]
    assert table(rows) == 'a,b,c\r\n"x,y",1,3.5\r\n"x,y",2,\r\n'
    assert table([]) == "\r\n"


def test_what_a_list_shows_can_be_chosen(every):
    chart = next(one for one in every.values() if any("bind" in p for p in params(one)))
    (param,) = [each for each in params(chart) if "bind" in each]
    for option in param["bind"]["options"]:
        (set_,) = [
            p for p in alone(chart, Look(shown=option))["params"] if p["name"] == param["name"]
        ]
        assert set_ == {"name": param["name"], "value": option}
    assert alone(chart, Look())["params"][0]["value"] == param["value"]
    with pytest.raises(UserError, match="cannot show 'x': choose from"):
        alone(chart, Look(shown="x"))
    with pytest.raises(UserError, match="it shows everything"):
        alone(every["latency"], Look(shown="x"))


def params(chart):
    return chart.plot.specification(chart.panel).get("params", [])


def test_hostile_names_are_text(run, analysis, kept):
    name = "</script><img onerror=x> ' \" \\ ] datum"
    points = tuple(
        msgspec.structs.replace(point, mpi=name) if point.mpi == "mpich" else point
        for point in analysis.points
    )
    hostile = msgspec.structs.replace(analysis, points=points, jitter=())
    panels = panels_with_data(run, hostile, kept)
    drawn = svg(next(one for one in charts(panels) if one.plot.name == "latency"))
    assert "<img" not in drawn and "&lt;img onerror=x&gt;" in drawn
