"""The server's pages as a browser shows them, with interactions."""

import pytest

from chromium import lightness, requests, settle, show  # isort: skip
from obstacles import obstacles  # isort: skip
from served import SCRIPT, Timed, write_import  # isort: skip

pytestmark = pytest.mark.browser

PAGES = ("/", "/runs/{0}", "/compare?a={0}&b={2}", "/nights", "/jobs")


@pytest.fixture
def address(server, names):
    """Make the address of a page whose figures are there."""

    def made(page):
        target = page.format(*names)
        server.page(target)
        return server.entrance(target)

    return made


def find(browser, css):
    from selenium.webdriver.common.by import By

    return browser.find_elements(By.CSS_SELECTOR, css)


def text(browser, css="main"):
    return browser.execute_script("return document.querySelector(arguments[0]).innerText", css)


def go(browser, act):
    """Do what leads to another page, and wait until that is there with its figures."""
    from selenium.webdriver.support.ui import WebDriverWait

    browser.execute_script("window.before = true")
    act()
    WebDriverWait(browser, 60).until(
        lambda page: page.execute_script(
            "return !window.before && document.readyState === 'complete'"
        )
    )
    settle(browser)


def rows(browser):
    return [link.text for link in find(browser, "tbody th[scope=row] a")]


@pytest.mark.parametrize("page", PAGES)
def test_pages_show_without_a_complaint_and_load_nothing_from_elsewhere(
    browser, address, server, page
):
    assert show(browser, address(page)) == []
    assert browser.execute_script("return document.documentElement.dataset.charts") in (
        None,
        "drawn",
    )
    asked = [url for url in requests(browser) if not url.startswith("data:")]
    assert asked
    assert all(url.startswith(f"{server.address}/") for url in asked)


def test_the_list_is_filtered_by_typing_and_sorted_by_its_headings(browser, address, names):
    show(browser, address("/"))
    assert rows(browser) == names[::-1]
    (words,) = find(browser, "input[name=words]")
    words.send_keys("mpich-5.0")
    go(browser, words.submit)
    assert rows(browser) == names[4:2:-1]
    assert find(browser, "input[name=words]")[0].get_attribute("value") == "mpich-5.0"
    go(browser, find(browser, ".filter a")[0].click)
    find(browser, "th.when .sort")[0].click()
    assert rows(browser) == names
    assert find(browser, "th.when")[0].get_attribute("aria-sort") == "ascending"


def test_from_the_list_to_a_run_and_back_by_its_menu(browser, address, names):
    show(browser, address("/"))
    go(browser, lambda: find(browser, "tbody th a")[-1].click())
    assert browser.current_url.endswith(f"/runs/{names[0]}")
    assert text(browser, ".run-name") == names[0]
    assert browser.execute_script("return document.documentElement.dataset.charts") == "drawn"
    assert [entry["message"] for entry in browser.get_log("browser")] == []
    go(browser, find(browser, ".site a[href='/']")[0].click)
    assert rows(browser) == names[::-1]


def test_two_runs_chosen_in_the_list_are_compared(browser, address, names):
    show(browser, address("/"))
    find(browser, f"input[name=a][value='{names[0]}']")[0].click()
    find(browser, f"input[name=b][value='{names[2]}']")[0].click()
    go(browser, find(browser, "main .buttons button")[0].click)
    assert "is slower than" in text(browser, ".answer-line")
    assert browser.execute_script("return document.documentElement.dataset.charts") == "drawn"
    go(browser, find(browser, ".site a[href*='a=" + names[2] + "']")[0].click)
    assert "is faster than" in text(browser, ".answer-line")


def test_comparing_needs_both_runs(browser, address):
    show(browser, address("/"))
    before = browser.current_url
    find(browser, "main .buttons button")[0].click()
    assert browser.current_url == before
    assert len(find(browser, "input[name=a]:invalid")) == 6


def test_nights_lead_to_figures_their_changes_and_runs(browser, address, names, server):
    show(browser, address("/nights"))
    (key,) = [each["key"] for each in server.json("/api/nights")[1]["watched"]]
    server.page(f"/nights/{key}")
    go(browser, find(browser, f"td a, th a[href='/nights/{key}']")[0].click)
    assert len(find(browser, "#level .mark-symbol path")) == 5
    assert "kernel 6.1 became 6.2" in text(browser)
    first = text(browser, "#level-title")
    go(browser, find(browser, "tbody th a:not([aria-current])[href*='figure=']")[0].click)
    assert text(browser, "#level-title") != first
    go(browser, find(browser, "#level .mark-symbol path")[2].click)
    assert text(browser, ".run-name") == names[2]


def test_from_a_node_to_its_jobs_and_to_what_is_said_of_one(browser, address):
    show(browser, address("/jobs"))
    (node,) = (link for link in find(browser, ".groups th a") if link.text == "n5")
    # It is far below, and pages scroll smoothly.
    go(browser, lambda: browser.execute_script("arguments[0].click()", node))
    assert find(browser, "input[name=node]")[0].get_attribute("value") == "n5"
    assert "Node n5 is late in" in text(browser)
    go(browser, find(browser, ".worst td a")[0].click)
    assert "n5" in text(browser, "header")
    assert "Owners of each rank's time" in text(browser)


def test_all_can_be_done_from_the_keyboard(browser, address, names):
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys

    def press(*keys):
        ActionChains(browser).send_keys(*keys).perform()

    def focused(script):
        return browser.execute_script(f"return document.activeElement.{script}")

    show(browser, address("/"))
    press(Keys.TAB)
    assert focused("textContent") == "Skip to the content"
    outline = "return getComputedStyle(document.activeElement).outlineStyle"
    reached = []
    for _ in range(40):
        press(Keys.TAB)
        name = focused("name") or focused("textContent")
        reached.append(name)
        assert browser.execute_script(outline) != "none", name
        if name == "a":
            break
    assert reached[:4] == ["Jobs", "Runs", "Nights", "words"]
    assert "words" in reached
    press(Keys.SPACE)
    assert focused("value") == names[5]
    press(Keys.TAB)
    press(Keys.ARROW_DOWN)
    assert (focused("name"), focused("value")) == ("b", names[4])
    while focused("tagName") != "BUTTON":
        press(Keys.TAB)
    go(browser, lambda: press(Keys.ENTER))
    assert "/compare?" in browser.current_url


@pytest.mark.parametrize("page", PAGES)
def test_every_field_and_chart_has_a_name(browser, address, page):
    show(browser, address(page))
    nameless = browser.execute_script(
        "return [...document.querySelectorAll('input, select, button, a')].filter(field =>"
        " field.type !== 'hidden' && !(field.labels?.length || field.getAttribute('aria-label')"
        " || field.textContent.trim() || field.closest('svg'))).map(field => field.outerHTML)"
    )
    assert nameless == []
    assert len(find(browser, "h1")) == 1
    assert len(find(browser, "main")) == 1
    assert all(each.get_attribute("textContent") for each in find(browser, "table caption"))
    for region in find(browser, "[role=region]"):
        assert region.get_attribute("aria-label")
        assert region.get_attribute("tabindex") == "0"


@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_no_obstacle(browser, address, page, width):
    show(browser, address(page), width=width)
    assert obstacles(browser) == []


COLOURS = """
const style = (css) => getComputedStyle(document.querySelector(css) ?? document.body);
return [style('body').backgroundColor, style('body').color, style('caption').color,
        style('main th a').color, style('button').color];
"""


@pytest.mark.parametrize("page", ["/"])
def test_both_themes_have_contrast(browser, address, page):
    show(browser, address(page), theme="light")
    paper, *inks = map(lightness, browser.execute_script(COLOURS))
    assert paper > 200
    assert max(inks) < 130
    show(browser, address(page), theme="dark")
    paper, *inks = map(lightness, browser.execute_script(COLOURS))
    assert paper < 60
    assert min(inks) > 120


@pytest.mark.parametrize("page", PAGES)
def test_phone_scrolls_tables_not_the_page(browser, address, page):
    show(browser, address(page), width=390)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 390
    charts = browser.execute_script(
        "return [...document.querySelectorAll('.chart svg')]"
        ".map(chart => chart.getBoundingClientRect().width)"
    )
    assert all(200 < width < 390 for width in charts)


def test_a_hostile_folder_is_inert(browser, serving, tmp_path):
    names = []
    for day in (1, 2):
        strange = Timed(
            tmp_path, day=day, host=SCRIPT, kernel=SCRIPT, version=SCRIPT, name="strange"
        )
        strange.launch(0)
        strange.run.plan = type(strange.run.plan)(entries=strange.run.plan.entries, name=SCRIPT)
        strange.run.outcome = type(strange.run.outcome)(state="failed", message=SCRIPT)
        strange.folder.write(strange.run)
        strange.folder.close()
        names.append(strange.folder.name)
    write_import(tmp_path, machine={"host": SCRIPT})
    named = tmp_path / "<img src=x onerror=window.broken=3>"
    named.mkdir()
    (named / "run.json").write_text('{"format": 1, "run": "<script>window.broken=4</script>"}')
    server = serving(tmp_path)
    for target in ("/", f"/runs/{names[0]}", f"/compare?a={names[0]}&b={names[1]}"):
        status, _ = server.page(target)
        assert status == 200, target
        assert show(browser, server.entrance(target)) == [], target
        assert browser.execute_script("return window.broken ?? null") is None
        assert browser.execute_script("return document.images.length") == 0
        asked = [url for url in requests(browser) if not url.startswith(("data:", "blob:"))]
        assert all(url.startswith(f"{server.address}/") for url in asked), asked
    show(browser, f"{server.address}/")
    assert "<img src=x onerror=window.broken=3>" in text(browser)
    assert "<script>window.broken=1</script>" in text(browser)
