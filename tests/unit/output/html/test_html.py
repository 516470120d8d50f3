"""The page as text: whole, inert, self-contained, written at once."""

import base64
import gzip
import html
import itertools
import json
import re
from html.parser import HTMLParser

import msgspec
import pytest
from example_run import example_run
from hostile_page import HOSTILE, hostile_page
from more_panels import compared, imported

from leadline.analysis.compare.compare import compare
from leadline.core.errors import UserError
from leadline.core.units import format_measured
from leadline.model.run import Outcome
from leadline.model.summary import Analysis, Finding, Sweep
from leadline.output.html.document import embed
from leadline.output.html.html import render, render_comparison, write_comparison, write_report
from leadline.output.html.panels import panels
from leadline.output.html.report_data import KeptSamples
from leadline.output.html.tables import figures, glance
from leadline.output.html.vega import bundle


class Reader(HTMLParser):
    """Collects the elements of a page and the text of its scripts."""

    def __init__(self, page):
        super().__init__()
        self.elements = []
        self.scripts = []
        self._script = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._script = tag == "script"
        if self._script:
            self.scripts.append("")

    def handle_endtag(self, tag):
        self._script = False

    def handle_data(self, data):
        if self._script:
            self.scripts[-1] += data

    def of(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


def test_page_says_what_ran_where_and_how_it_ended(page, run, analysis):
    for text in (
        run.run,
        "node17",
        "Example CPU 3000",
        "8 GiB (8589934592 B)",
        "governor is powersave",
        "4.2 % of the samples were preempted",
        "cpupower frequency-set -g performance",
        "MPIR_CVAR_NOLOCAL=0 /opt/mpich/bin/mpiexec -n 2 leadline-probe-mpi --plan plan.txt",
        "Half the time from sending to having the answer; rank 0 stops the clock.",
        analysis.points[0].ci95_method,
    ):
        assert html.escape(text, quote=False).replace("'", "&#39;") in page, text


def test_problems_come_before_notices_and_facts(page):
    assert re.findall(r'class="finding (\w+)"', page) == ["problem", "notice", "fact"]


def test_each_card_of_several_mpis_says_of_which_it_is(run, analysis, kept):
    first = {point.mpi: index for index, point in reversed([*enumerate(analysis.points)])}
    named, other = first
    fact = Finding(kind="best_size", severity="fact", text="Peak 14 GB/s.", evidence={})
    told = [msgspec.structs.replace(fact, points=(index,)) for index in first.values()]
    told[0] = msgspec.structs.replace(told[0], text=f"Peak of {named} 14 GB/s.")
    told.append(msgspec.structs.replace(fact, points=tuple(first.values())))
    page = render(run, msgspec.structs.replace(analysis, findings=tuple(told)), kept)
    labels = re.findall('<span class="severity">fact</span> (.*)</p>', page)
    assert labels == ["best size", f"best size with {other}", "best size"]


def test_commands_in_findings_are_set_apart(run, analysis, kept):
    finding = msgspec.structs.replace(analysis.findings[0], advice="try `leadline check <all>`.")
    page = render(run, msgspec.structs.replace(analysis, findings=(finding,)), kept)
    assert "try <code>leadline check &lt;all&gt;</code>." in page


def test_kind_that_repeats_itself_is_folded(run, analysis, kept):
    many = tuple(
        msgspec.structs.replace(analysis.findings[1], text=f"variant {number}.")
        for number in range(9)
    )
    page = render(run, msgspec.structs.replace(analysis, findings=many), kept)
    folded = page.index("7 more of this kind: variants")
    assert page.index("variant 1.") < folded < page.index("variant 2.") < page.index("variant 8.")


def test_every_figure_has_a_row(page, analysis):
    reader = Reader(page)
    rows = [attributes["id"] for attributes in reader.of("tr") if "id" in attributes]
    assert rows == [f"figure-{index}" for panel in _order(analysis) for index in panel]
    point = analysis.points[5]
    told = format_measured(point.median_s, point.ci95_low_s, point.ci95_high_s, 1e6)
    assert f">{told}</td>" in page


def _order(analysis):
    return [panel.figures for panel in panels(example_run(), analysis)]


def shown(table, row):
    """Return a row's texts by the names of their columns."""
    return {column.name: text for column, text in zip(table.columns, row.cells, strict=True)}


def test_each_column_shows_its_own_value(run, analysis):
    first, *others = analysis.points
    first = msgspec.structs.replace(
        first, median_s=3e-6, ci95_low_s=2.9e-6, ci95_high_s=3.1e-6, p90_s=4e-6, p99_s=5e-6,
        min_s=2e-6, max_s=9e-6, mean_s=3.3e-6, samples=2000, excluded=7, launches=5,
        bandwidth_MBps=1234.0,
    )  # fmt: skip
    whole = msgspec.structs.replace(analysis, points=(first, *others))
    panel = next(panel for panel in panels(run, whole) if 0 in panel.figures)
    table = figures(whole, panel)
    texts = shown(table, table.rows[panel.figures.index(0)])
    times = ("Time", "95 % from", "95 % to", "p90", "p99", "Min", "Max")
    assert " ".join(texts[name] for name in times) == "3.00 2.90 3.10 4.00 5.00 2.00 9.00"
    counts = ("Mean", "MB/s", "Samples", "Set aside", "Launches")
    assert " ".join(texts[name] for name in counts) == "3.30 1230 2000 7 5"
    sweep = Sweep(
        points=(panel.figures[0],), benchmark="", series="", variant="", mpi="", processes=2,
        nodes=1, latency_s=1e-6, asymptotic_MBps=8000.0, half_size_bytes=65536.0,
        best_size_bytes=1, best_MBps=7.0,
    )  # fmt: skip
    table = glance(msgspec.structs.replace(whole, sweeps=(sweep,)), [panel])
    texts = shown(table, table.rows[0])
    assert [texts[name] for name in ("Latency (µs)", "at size", "Best (GB/s)")] == [
        "3.00",
        "4 MiB",
        "8.7",
    ]
    assert (texts["r∞ (GB/s)"], texts["n½"]) == ("8.00", "64 KiB")


def test_nothing_is_loaded_from_elsewhere(page):
    reader = Reader(page)
    for tag, attributes in reader.elements:
        assert tag not in ("link", "iframe", "object", "embed", "base", "form", "img"), tag
        assert "src" not in attributes and "srcset" not in attributes
        assert attributes.get("href", "#").startswith("#")
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    assert "url(" not in style and "@import" not in style
    policy = next(a["content"] for a in reader.of("meta") if "http-equiv" in a)
    assert "default-src 'none'" in policy
    assert "unsafe-eval" not in policy and "http" not in policy
    without_vega = page.replace(bundle().compressed, "")
    assert not re.search(r"https?://", without_vega)


def test_only_the_two_own_scripts_may_run(page):
    reader = Reader(page)
    kinds = {attributes.get("type") for attributes in reader.of("script")}
    assert kinds == {"application/json", "application/gzip", "module"}
    assert [a.get("type") for a in reader.of("script")].count("module") == 1


def test_page_is_small_enough_to_send(page):
    assert len(page.encode()) < 1_200_000


def test_identifiers_are_unique_and_links_lead_somewhere(page):
    reader = Reader(page)
    names = [attributes["id"] for _, attributes in reader.elements if "id" in attributes]
    assert len(names) == len(set(names))
    for attributes in reader.of("a"):
        assert attributes["href"][1:] in names, attributes


def test_tables_have_captions_and_headings(page):
    assert page.count("<table") == page.count("<caption") > 5
    headings = [int(level) for level in re.findall(r"<h(\d)", page)]
    assert headings[0] == 1 and headings.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(headings))


def test_hostile_text_stays_text():
    page = hostile_page()
    reader = Reader(page)
    assert not reader.of("img")
    assert [a.get("type") for a in reader.of("script")].count(None) == 0
    assert "&lt;/script&gt;&lt;script&gt;window.broken=1" in page
    (charts,) = [
        json.loads(gzip.decompress(base64.b64decode(text)))
        for text, attributes in zip(reader.scripts, reader.of("script"), strict=True)
        if attributes.get("id") == "charts"
    ]
    rows = charts["panel-0-latency"]["data"]["values"]
    assert any(row["curve"] == HOSTILE for row in rows)


def test_embedded_json_has_nothing_that_ends_a_script():
    text = str(embed({HOSTILE: [float("nan"), float("inf"), "a & b \u2029"]}))
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == {HOSTILE: [None, None, "a & b \u2029"]}


def test_run_that_was_cut_at_once_still_has_a_report():
    run = example_run()
    run.outcome = Outcome(state="interrupted", message="Ctrl-C before the first point")
    run.ended, run.points, run.launches, run.doctor = None, [], [], []
    page = render(run, Analysis(points=(), sweeps=()), KeptSamples())
    assert "Ctrl-C before the first point" in page
    assert "has no end" in page
    assert "No rule found anything to say" in page


def test_figures_in_doubt_are_marked(run, analysis, kept):
    points = list(analysis.points)
    points[0] = msgspec.structs.replace(points[0], verified=False)
    points[1] = msgspec.structs.replace(points[1], oversubscribed=True)
    changed = msgspec.structs.replace(analysis, points=tuple(points))
    page = render(run, changed, kept)
    assert re.findall(r'<tr id="(figure-\d+)" class="doubt"', page) == ["figure-0", "figure-1"]
    assert f"1 of {len(points)} figures here did not pass" in page


def test_report_is_written_whole(run, analysis, kept, page, tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    write_report(path, run, analysis, kept)
    assert path.read_text(encoding="utf-8") == page
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.parametrize("where", ["absent/report.html", "file/report.html", "folder"])
def test_report_that_cannot_be_written_is_one_line(run, analysis, kept, tmp_path, where):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    with pytest.raises(UserError, match=r"cannot be written .*name a file in a folder") as error:
        write_report(tmp_path / where, run, analysis, kept)
    assert "\n" not in str(error.value)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["file", "folder"]


@pytest.fixture(scope="module")
def imported_page(run, analysis):
    bare = example_run("newsletter")
    bare.points, bare.launches, bare.doctor, bare.machine = [], [], [], {}
    bare.imported = imported(analysis.points)
    figures = Analysis(points=bare.imported.figures, sweeps=())
    return render(bare, figures, KeptSamples())


def test_import_says_where_it_is_from_and_what_is_missing(imported_page):
    for text in (
        "Figures from OtherMarks 3.1: Newsletter 117",
        "These times are not medians but means.",
        "No figure here has an interval, so that no curve has a band.",
        "other.txt:17",
        "cut in the middle of a row",
        "made-up link",
        "Four generations of machines",
        "8 April 1997",
    ):
        assert text in imported_page, text
    for text in ("Plan and launches", "In each launch, when", "Every transfer is checked"):
        assert text not in imported_page, text


def test_table_of_an_import_has_no_empty_column(imported_page):
    headings = re.findall(r'<th scope="col" class="\w+">([^<]+)</th>', imported_page)
    assert {"Time", "Statistic", "Launches"} <= set(headings)
    assert not {"95 % from", "p99", "Samples", "Stopped by"} & set(headings)


def test_families_hold_their_benchmarks(page):
    assert re.findall(r'class="family" id="(\S+)"', page) == ["family-1"]
    assert re.findall(r"<summary><h3>([^<]+)</h3>", page) == [
        "mpi/pingpong",
        "mpi/allreduce",
        "mpi/barrier",
    ]


def test_finding_leads_to_its_charts(page):
    assert '<a href="#panel-0">mpi/pingpong, half round trip on 1x2</a>' in page


def test_comparison_is_a_page_of_its_own(run, analysis, tmp_path):
    path = tmp_path / "comparison.html"
    both = compared(analysis.points)
    write_comparison(path, [both, compare(HOSTILE, analysis.points[:2], "other", [])], [run])
    page = path.read_text(encoding="utf-8")
    reader = Reader(page)
    names = [attributes["id"] for _, attributes in reader.elements if "id" in attributes]
    assert len(names) == len(set(names))
    for attributes in reader.of("a"):
        assert attributes["href"][1:] in names, attributes
    rows = [attributes for attributes in reader.of("tr") if "figure-" in attributes.get("id", "")]
    assert len(rows) == len(both.figures)
    assert "after against before" in page
    assert "Half the time from sending to having the answer" in page
    assert not reader.of("img")


def test_rows_of_a_comparison_carry_their_verdict(analysis):
    verdicts = [one.verdict for one in compared(analysis.points).figures]
    page = render_comparison([compared(analysis.points)])
    for verdict in set(verdicts):
        assert page.count(f'class="{verdict.replace(" ", "-")}"') >= verdicts.count(verdict)


def test_a_measured_run_is_not_marked_as_simulated(page):
    assert "What was simulated" not in page and "Simulated on" not in page
