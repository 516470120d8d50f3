"""What a reader does with a page: open, choose, walk by keyboard, print, switch themes."""

import base64
import re

import msgspec
import pytest
from example_run import example_run
from large_run import SAMPLES, ManySamples, large_run
from more_panels import compared, imported

from leadline.analysis.results.sweep import sweeps
from leadline.analysis.samples import analyse_samples
from leadline.model.summary import Analysis, Finding, Gain
from leadline.output.html.charts import sample_collector
from leadline.output.html.html import render, render_comparison
from leadline.output.html.report_data import KeptSamples

from chromium import settle, show  # isort: skip
from obstacles import obstacles  # isort: skip

pytestmark = pytest.mark.browser

LONG_COMMAND = "leadline tune mpi/allreduce mpi/barrier mpi/bcast mpi/alltoall --mpi m --place 1x2"
LARGEST_PAGE = 2_500_000
LARGEST_USUAL_PAGE = 1_000_000


@pytest.fixture(scope="module")
def pages(run, analysis, page, tmp_path_factory):
    """Addresses of a small run, a run of two million samples, an import and a comparison."""
    folder = tmp_path_factory.mktemp("pages")
    whole = large_run()
    kept = sample_collector(whole)
    points = analyse_samples(whole, ManySamples(whole), [kept]).points
    findings = tuple(
        Finding(
            kind="best_size",
            severity=("problem", "notice", "fact")[number % 3],
            text=f"{points[16 * number].benchmark} moves most at 2 MiB.",
            evidence={"best_MBps": 8000.0},
            advice="Join smaller messages.",
            points=(16 * number,),
        )
        for number in range(52)
    )
    large = Analysis(points=points, sweeps=sweeps(points), findings=findings)
    bare = example_run("newsletter")
    bare.points, bare.launches, bare.doctor, bare.machine = [], [], [], {}
    bare.imported = imported(analysis.points)
    gain = Finding(
        kind="variants_compared",
        severity="notice",
        topic="choice",
        text="MPI_Allreduce: hypercube is 1.3x faster than the library at 4 B, most at 4 B.",
        evidence={},
        command=LONG_COMMAND,
        gain=Gain(times=1.3, low=1.2, high=1.4),
    )
    told = msgspec.structs.replace(analysis, findings=(gain,))
    made = {
        "run": page,
        "told": render(run, told, sample_collector(run)),
        "large": render(whole, large, kept),
        "import": render(bare, Analysis(points=bare.imported.figures, sweeps=()), KeptSamples()),
        "comparison": render_comparison([compared(analysis.points)], [run]),
    }
    for name, text in made.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in made}


@pytest.fixture
def opened(browser, pages):
    """Opens a page by name."""

    def open_page(name, **how):
        assert show(browser, pages[name].as_uri(), **how) == []
        return browser

    return open_page


def wait_until(browser, script):
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser, 60).until(lambda page: page.execute_script(f"return {script}"))


def press(browser, *keys):
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(browser).send_keys(*keys).perform()


VISIBLE = "[...document.querySelectorAll(arguments[0])].filter(one => one.checkVisibility()).length"


def visible(browser, selector):
    return browser.execute_script(f"return {VISIBLE}", selector)


def test_page_of_two_million_samples_is_small_and_draws_nothing_unseen(opened, pages):
    assert SAMPLES >= 2_000_000
    assert pages["large"].stat().st_size < LARGEST_PAGE
    assert pages["run"].stat().st_size < LARGEST_USUAL_PAGE
    browser = opened("large")
    assert visible(browser, "details.question") == 2
    assert browser.execute_script("return document.querySelectorAll('.chart').length") > 200
    drawn = "return [...document.querySelectorAll('.chart:has(svg)')].map(chart => chart.id)"
    assert browser.execute_script(drawn) == ["verdict-picture"]


def test_contents_list_families_and_benchmarks(opened):
    browser = opened("large")
    families = browser.execute_script(
        "return [...document.querySelectorAll('nav li:has(> ul) > a[href^=\"#family\"]')]"
        ".map(a => [a.textContent, a.parentElement.querySelectorAll('li').length])"
    )
    assert families == [["mpi", 32], ["rma", 10], ["shmem", 8], ["node", 2]]


def test_link_opens_the_section_and_draws_its_charts(opened):
    browser = opened("large")
    browser.execute_script("document.querySelector('nav a[href=\"#benchmark-40\"]').click()")
    wait_until(browser, "document.getElementById('benchmark-40').open")
    wait_until(browser, "!!document.querySelector('#benchmark-40 .chart[data-state=drawn]')")
    settle(browser)
    drawn = browser.execute_script("return document.querySelectorAll('.chart svg').length")
    assert 0 < drawn <= 7


IN_SIGHT = """(() => {
  const box = document.getElementById('figure-32').getBoundingClientRect();
  return box.height > 0 && box.top >= 0 && box.bottom <= innerHeight;
})()"""


def test_finding_leads_to_its_figure(opened):
    browser = opened("large")
    browser.execute_script("document.querySelector('a[href=\"#figure-32\"]').click()")
    for _ in range(2):
        wait_until(browser, IN_SIGHT)
        settle(browser)
        wait_until(browser, IN_SIGHT)
        browser.execute_script("scrollTo(0, 0)")
        browser.execute_script(
            "document.querySelector('#figure-32').closest('.figures').open = false"
        )
        browser.execute_script("document.querySelector('a[href=\"#figure-32\"]').click()")


FOCUS = """
const one = document.activeElement, box = one.getBoundingClientRect();
return {tag: one.tagName, id: one.id, text: one.textContent.trim().slice(0, 40),
  ring: getComputedStyle(one).outlineStyle !== 'none' || one.matches('.skip'),
  seen: box.width > 0 && box.height > 0};
"""


def test_everything_is_reached_by_keyboard(opened):
    from selenium.webdriver.common.keys import Keys

    browser = opened("run")
    met = []
    for _ in range(40):
        press(browser, Keys.TAB)
        met.append(browser.execute_script(FOCUS))
    assert met[0]["text"] == "Skip to the verdict"
    assert all(each["seen"] and each["ring"] for each in met if each["tag"] != "BODY"), met
    assert {"open-all"} <= {each["id"] for each in met}
    kinds = {each["tag"] for each in met}
    assert {"A", "BUTTON", "SUMMARY"} <= kinds
    browser.execute_script("document.querySelector('.benchmark > summary').focus()")
    press(browser, Keys.ENTER)
    assert not browser.execute_script("return document.querySelector('.benchmark').open")


def test_skip_link_leads_past_the_contents(opened):
    from selenium.webdriver.common.keys import Keys

    browser = opened("run")
    press(browser, Keys.TAB, Keys.ENTER)
    wait_until(browser, "location.hash === '#verdict'")
    press(browser, Keys.TAB)
    assert browser.execute_script(
        "return document.querySelector('main').contains(document.activeElement)"
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["run", "import", "comparison"])
def test_axe_finds_no_obstacle(opened, name, theme):
    browser = opened(name, theme=theme)
    browser.execute_script("document.querySelectorAll('details').forEach(one => (one.open = true))")
    browser.execute_script("dispatchEvent(new Event('beforeprint'))")
    wait_until(browser, "!document.querySelector('.chart:not([data-state=drawn])')")
    assert obstacles(browser) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1400])
def test_axe_finds_no_obstacle_on_the_first_screen(opened, width, theme):
    assert obstacles(opened("run", width=width, theme=theme)) == []


GLANCE = """
const table = document.querySelector('#glance table');
return [[...table.tBodies[0].rows].map(row => row.cells[arguments[0]].textContent.trim()),
  table.querySelectorAll('th')[arguments[0]].getAttribute('aria-sort')];
"""


def test_heading_sorts_its_table_by_keyboard_up_down_and_back(opened):
    from selenium.webdriver.common.keys import Keys

    browser = opened("large")
    before, order = browser.execute_script(GLANCE, 1)
    assert order is None and len(before) > 50
    browser.execute_script("document.querySelectorAll('#glance th .sort')[1].focus()")
    found = []
    for _ in range(3):
        press(browser, Keys.ENTER)
        found.append(browser.execute_script(GLANCE, 1))
    numbers = [[float(text) for text in texts] for texts, _ in found]
    assert numbers[0] == sorted(numbers[0]) != numbers[2]
    assert numbers[1] == sorted(numbers[0], reverse=True)
    assert [texts for texts, _ in found[2:]] == [before]
    assert [order for _, order in found] == ["ascending", "descending", None]


SHORT = """
const short = document.querySelector('#verdict .short');
const bottom = element => element.getBoundingClientRect().bottom;
return [short.innerText.replace(/\\s+/g, ' '), bottom(short),
  [...short.querySelectorAll('code, button')].map(bottom)];
"""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(1400, 900), (390, 844)])
def test_first_viewport_says_whether_it_is_good_what_to_trust_and_what_to_do(
    opened, width, height, theme
):
    browser = opened("told", width=width, height=height, theme=theme)
    text, end, commands = browser.execute_script(SHORT)
    assert re.search(r"Verdict good: \d of \d figures of mpich are within 25 % of a bound", text)
    assert re.search(r"Trust (good|fair|poor): .* of the samples disturbed", text)
    assert "Improve MPI_Allreduce: hypercube is 1.3x faster than the library at 4 B" in text
    assert LONG_COMMAND in text and len(commands) == 2
    assert max(end, *commands) <= height, (end, commands)
    assert obstacles(browser) == []


@pytest.mark.parametrize(("width", "height"), [(1400, 900), (390, 844)])
def test_first_screen_has_headline_figures(opened, width, height):
    browser = opened("run", width=width)
    ends = browser.execute_script(
        "return ['.headlines tbody tr', '#verdict-picture'].map(one =>"
        " document.querySelector(one).getBoundingClientRect().bottom)"
    )
    assert all(end <= height for end in ends[:1]), ends
    assert width < 600 or ends[1] <= height, ends
    wide = browser.execute_script(
        "const glance = document.querySelector('#glance .scroll');"
        "const latency = glance.querySelectorAll('tbody td')[0].getBoundingClientRect();"
        "return [glance.scrollWidth - glance.clientWidth, latency.right]"
    )
    assert wide[1] <= width and (wide[0] <= 0 or width < 600), wide


@pytest.mark.parametrize("name", ["run", "large", "import", "comparison"])
def test_phone_scrolls_tables_not_the_page(opened, name):
    browser = opened(name, width=390)
    browser.execute_script("document.querySelector('.benchmark').open = true")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 390
    assert not browser.execute_script("return document.querySelector('.contents').open")


def printed(browser):
    """Return the page as a PDF on A4."""
    options = {"preferCSSPageSize": True, "printBackground": True}
    return base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", options)["data"])


def test_paper_has_every_chart_and_no_buttons(opened):
    browser = opened("run")
    closed = "details[data-chosen]:not([open]) *"
    waiting = (
        "return [...document.querySelectorAll('.chart:not([data-state=drawn])')]"
        f".filter(one => !one.matches('{closed}')).length"
    )
    assert browser.execute_script(waiting) > 0
    browser.execute_script("document.querySelector('.steadiness').open = true")
    sheet = printed(browser)
    assert sheet.startswith(b"%PDF")
    assert browser.execute_script(waiting) == 0
    folded = "return document.querySelectorAll('.steadiness .chart[data-state=drawn]').length"
    assert 0 < browser.execute_script(folded) <= 4
    assert b"/MediaBox [0 0 594" in sheet or b"/MediaBox [0 0 595" in sheet
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        for selector in ("nav", ".skip"):
            assert visible(browser, selector) == 0, selector
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_table_on_paper_is_not_clipped(opened):
    browser = opened("run", width=700)
    browser.execute_script("dispatchEvent(new Event('beforeprint'))")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        wide = browser.execute_script(
            "return [...document.querySelectorAll('table, figure, svg')]"
            ".filter(one => one.getBoundingClientRect().right > innerWidth + 1)"
            ".map(one => one.caption?.textContent ?? one.outerHTML.slice(0, 80))"
        )
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert wide == []


def test_printing_leaves_the_page_as_it_was(opened):
    browser = opened("large")
    browser.execute_script(
        "dispatchEvent(new Event('beforeprint')); dispatchEvent(new Event('afterprint'))"
    )
    assert visible(browser, "details.benchmark[open]") == 0


def test_paper_of_many_charts_has_those_of_the_benchmarks_that_are_open(opened):
    browser = opened("large")
    browser.execute_script("document.querySelector('details.benchmark').open = true")
    wait_until(browser, "document.documentElement.dataset.charts === 'drawn'")
    assert printed(browser).startswith(b"%PDF")
    kinds = (
        "details.benchmark[open] .panel > .charts .chart",
        "details.benchmark:not([open]) .chart",
    )
    chosen, others = (
        browser.execute_script(
            f"return [...document.querySelectorAll('{kind}')].map(one => one.dataset.state ?? '')"
        )
        for kind in kinds
    )
    assert set(chosen) == {"drawn"} and set(others) == {""}


def test_import_is_drawn_without_bands(opened):
    browser = opened("import")
    wait_until(browser, "document.querySelectorAll('.chart').length > 0")
    browser.execute_script("document.querySelector('.chart').scrollIntoView()")
    wait_until(browser, "!!document.querySelector('.chart[data-state=drawn]')")
    assert browser.execute_script("return document.querySelectorAll('.mark-area').length") == 0
    assert visible(browser, "#source table") >= 3


CUT_CAPTIONS = """
document.querySelectorAll('details').forEach(one => (one.open = true));
return [...document.querySelectorAll('.scroll caption')]
  .filter(one => one.getBoundingClientRect().right
    > one.closest('.scroll').getBoundingClientRect().right + 1)
  .map(one => one.textContent);
"""


@pytest.mark.parametrize("width", [390, 700, 1000, 1400])
def test_caption_is_as_wide_as_what_is_seen_of_its_table(opened, width):
    assert opened("run", width=width).execute_script(CUT_CAPTIONS) == []


def test_first_chart_is_drawn_at_load_though_it_is_below_the_screen(opened):
    browser = opened("told", width=390, height=300)
    first = "document.querySelector('.chart')"
    assert browser.execute_script(f"return {first}.getBoundingClientRect().top") > 600
    assert browser.execute_script(f"return {first}.dataset.state") == "drawn"
    assert visible(browser, ".chart svg") == 1


# As where many columns leave little room for what a figure is compared with.
SQUEEZED = """
const row = document.querySelector('.headlines tbody tr');
for (let count = 0; count < 4; count += 1) row.insertCell().textContent = '14.6 ±18 %';
const beside = row.insertCell();
beside.className = 'words';
beside.textContent = '████████ 214 % of the memory copy rate (21.2)';
return row.offsetHeight;
"""


@pytest.mark.parametrize("width", [390, 1400])
def test_row_of_the_headline_table_is_at_most_three_lines_tall(opened, width):
    assert opened("run", width=width).execute_script(SQUEEZED) <= 75
