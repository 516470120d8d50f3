"""The page as a browser shows it."""

import collections

import pytest

from chromium import requests, show  # isort: skip
from hostile_page import HOSTILE, hostile_page  # isort: skip

pytestmark = pytest.mark.browser


def wait_until(browser, script):
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser, 60).until(lambda page: page.execute_script(script))


def draw_all(browser):
    """Open and draw everything, also what prints only where it was opened."""
    browser.execute_script("document.querySelectorAll('details').forEach(one => (one.open = true))")
    browser.execute_script("dispatchEvent(new Event('beforeprint'))")
    wait_until(browser, "return !document.querySelector('.chart:not([data-state=drawn])')")


@pytest.fixture(scope="module")
def path(page, tmp_path_factory):
    written = tmp_path_factory.mktemp("page") / "report.html"
    written.write_text(page, encoding="utf-8")
    return written


def test_page_renders_without_a_complaint(browser, path):
    assert show(browser, path.as_uri()) == []
    assert browser.execute_script("return document.documentElement.dataset.charts") == "drawn"


def test_browser_asks_for_nothing_but_the_page(browser, path):
    show(browser, path.as_uri())
    asked = requests(browser)
    assert path.as_uri() in asked
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert len([url for url in asked if url.startswith("file:")]) == 1


MARKS = """
return [...document.querySelectorAll('.chart')].map(chart => ({
  name: chart.id,
  label: chart.closest('[aria-label]')?.getAttribute('aria-label')
    ?? chart.querySelector('[aria-label]')?.getAttribute('aria-label') ?? '',
  marks: [...chart.querySelectorAll('.role-mark:is(.mark-symbol, .mark-line, .mark-rect) path')]
    .filter(path => (path.getAttribute('d') ?? '').length > 3
      && path.getBoundingClientRect().width + path.getBoundingClientRect().height > 0).length,
  broken: chart.innerHTML.includes('NaN'),
  width: chart.querySelector('svg')?.getBoundingClientRect().width ?? 0,
}))
"""


def test_no_chart_is_empty(browser, path):
    show(browser, path.as_uri())
    draw_all(browser)
    charts = browser.execute_script(MARKS)
    kinds = collections.Counter(chart["name"].rsplit("-", 1)[1] for chart in charts)
    assert kinds == {
        "picture": 1, "latency": 2, "bandwidth": 2, "improvement": 1, "distribution": 3,
        "launches": 3, "interval": 1, "calls": 1,
    }  # fmt: skip
    for chart in charts:
        assert chart["marks"] >= 2, chart
        assert chart["width"] > 200, chart
        assert not chart["broken"], chart
        assert "mpi/" in chart["label"], chart


def test_tables_are_filled(browser, path, analysis):
    show(browser, path.as_uri())
    cells = browser.execute_script(
        "return [...document.querySelectorAll('table')].map(table =>"
        " [table.caption.textContent, table.querySelectorAll('tbody td').length])"
    )
    assert all(count > 0 for _, count in cells), cells
    rows = browser.execute_script("return document.querySelectorAll('.figures tr[id]').length")
    assert rows == len(analysis.points)


def test_charts_are_drawn_when_they_come_into_view(browser, path):
    show(browser, path.as_uri())
    states = "return [...document.querySelectorAll('.chart')].map(one => one.dataset.state ?? '')"
    assert "" in browser.execute_script(states)
    last = "[...document.querySelectorAll('.panel > .charts .chart')].at(-1)"
    browser.execute_script(f"{last}.scrollIntoView()")
    wait_until(browser, f"return {last}.dataset.state === 'drawn'")


def test_charts_of_steadiness_are_closed_and_drawn_when_opened(browser, path):
    show(browser, path.as_uri())
    inside = "document.querySelector('details.steadiness')"
    assert not browser.execute_script(f"return {inside}.open")
    kinds = browser.execute_script(
        f"return [...{inside}.querySelectorAll('.chart')].map(one => one.id.split('-').at(-1))"
    )
    assert kinds == ["distribution", "launches"]
    browser.execute_script(f"{inside}.open = true; {inside}.scrollIntoView()")
    wait_until(browser, f"return {inside}.querySelectorAll('[data-state=drawn]').length > 1")


def test_hostile_names_are_inert(browser, tmp_path):
    written = tmp_path / "hostile.html"
    written.write_text(hostile_page(), encoding="utf-8")
    assert show(browser, written.as_uri()) == []
    draw_all(browser)
    assert browser.execute_script("return window.broken ?? null") is None
    assert browser.execute_script("return document.images.length") == 0
    title = browser.execute_script("return document.querySelector('.run-name').textContent")
    assert title == HOSTILE
    legend = browser.execute_script(
        "return document.querySelector('.role-legend-label text').textContent"
    )
    assert legend.startswith("</script>")
