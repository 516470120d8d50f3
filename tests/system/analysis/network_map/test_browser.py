"""The map as a browser shows it: turned, filtered, searched, pointed at, in both themes."""

import time

import pytest
from example_maps import CROSSBAR, DRAGONFLY, FAT_TREE, T3E, example, platform, predicted, scattered

from leadline.output.html.map import render_map

from chromium import lightness, requests, show  # isort: skip

pytestmark = pytest.mark.browser

HOSTILE = "</script><script>window.broken=1</script><img src=x onerror=window.broken=2>" + "x" * 300


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("maps")
    made = {
        "torus": example(T3E, [64, 128, -10, 200], {500, 501}, traffic=512, stride=9),
        "tree": example(FAT_TREE, [8, 16, -2, 20], {60}, traffic=64, stride=9),
        "dragonfly": example(DRAGONFLY, [16, 24, -2, 30], {90}),
        "crossbar": example(CROSSBAR, [4, 3, -2, 5], {15}, traffic=16),
        "predicted": predicted(CROSSBAR, 4),
        "large": scattered(platform("large", 4096, kind="torus", shape=(16, 16, 16))),
        "hostile": example(CROSSBAR, [4, 3], names={0: HOSTILE}),
    }
    for name, drawn in made.items():
        (folder / f"{name}.html").write_text(render_map(drawn), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in made}


@pytest.fixture
def opened(browser, pages):
    def open_page(name, **how):
        assert show(browser, pages[name].as_uri(), **how) == []
        wait_until(browser, "document.documentElement.dataset.map === 'drawn'")
        return browser

    return open_page


def wait_until(browser, script):
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser, 60).until(lambda page: page.execute_script(f"return {script}"))


def picture(browser):
    """The pixels as they are once a frame has been drawn."""
    return browser.execute_async_script(
        "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() =>"
        " done(document.getElementById('map').toDataURL())))"
    )


def steady(browser):
    """The pixels once nothing moves any more."""
    last = picture(browser)
    for _ in range(100):
        time.sleep(0.05)
        now = picture(browser)
        if now == last:
            return now
        last = now
    raise AssertionError("the picture never rests")


def keys(browser, *pressed):
    from selenium.webdriver.common.action_chains import ActionChains

    browser.execute_script("document.getElementById('map').focus()")
    ActionChains(browser).send_keys(*pressed).perform()


def drag(browser, right, down):
    from selenium.webdriver.common.action_chains import ActionChains

    canvas = browser.find_element("id", "map")
    ActionChains(browser, duration=20).move_to_element_with_offset(canvas, 5, 5).click_and_hold()\
        .move_by_offset(right, down).release().perform()  # fmt: skip


PIXELS = """
const canvas = document.getElementById('map');
const density = canvas.width / canvas.clientWidth;
const {data, width} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
const near = (at) => [0, 1, 2].every(c => Math.abs(data[at + c] - arguments[0][c]) < 10);
const found = [];
for (let at = 0; at < data.length; at += 4) {
  if (data[at + 3] === 255 && near(at)) {
    found.push([at / 4 % width / density, Math.floor(at / 4 / width) / density]);
  }
}
return found;
"""


def coloured(browser, variable):
    """Where the canvas has the colour of that name, in its own pixels."""
    style = "return getComputedStyle(document.documentElement).getPropertyValue(arguments[0])"
    text = browser.execute_script(style, f"--{variable}").strip()
    return browser.execute_script(PIXELS, [int(text[at : at + 2], 16) for at in (1, 3, 5)])


def point_at(browser, x, y):
    from selenium.webdriver.common.action_chains import ActionChains

    canvas = browser.find_element("id", "map")
    size = canvas.size
    ActionChains(browser, duration=0).move_to_element_with_offset(
        canvas, int(x - size["width"] / 2), int(y - size["height"] / 2)
    ).perform()


def tip(browser):
    return browser.execute_script(
        "const tip = document.getElementById('tip'); return tip.hidden ? '' : tip.innerText"
    )


@pytest.mark.parametrize("name", ["torus", "tree", "dragonfly", "crossbar"])
@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 390)])
def test_map_opens_without_a_complaint_and_asks_for_nothing_else(opened, pages, name, theme, width):
    browser = opened(name, theme=theme, width=width)
    asked = requests(browser)
    assert [url for url in asked if not url.startswith(("data:", "blob:"))] == [
        pages[name].as_uri()
    ]
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert sum(len(coloured(browser, f"curve-{number}")) for number in (1, 2, 3)) > 10


def test_dragging_turns_the_machine(opened):
    browser = opened("torus")
    first = steady(browser)
    drag(browser, 120, 0)
    turned = steady(browser)
    assert turned != first
    drag(browser, 0, 60)
    assert steady(browser) not in (first, turned)


def test_keys_turn_zoom_and_reset_the_machine(opened):
    browser = opened("torus")
    keys(browser)
    first = steady(browser)
    seen = {first}
    for pressed in ("\ue014", "\ue013", "+", "\ue008\ue012", "z", "x"):
        keys(browser, pressed)
        now = steady(browser)
        assert now not in seen, pressed
        seen.add(now)
    keys(browser, "0")
    assert steady(browser) == first


def test_buttons_look_along_an_axis(opened):
    browser = opened("torus")
    first = steady(browser)
    browser.find_element("css selector", "[data-look=z]").click()
    above = steady(browser)
    assert above != first
    browser.find_element("css selector", "[data-look=reset]").click()
    assert steady(browser) == first


def test_pointing_at_a_node_names_its_job(opened):
    browser = opened("crossbar")
    jobs = {"curve-1": "4100", "curve-2": "4101", "curve-3": "4103"}
    for curve, job in jobs.items():
        points = coloured(browser, curve)
        assert points, curve
        point_at(browser, *points[len(points) // 2])
        text = tip(browser)
        assert job in text and text.startswith("n"), text
    point_at(browser, 3, 3)
    assert tip(browser) == ""


def test_pointing_at_a_link_says_what_it_carries(opened):
    browser = opened("crossbar")
    at = browser.execute_script(
        "const c = document.getElementById('map'); return [c.clientWidth / 2, c.clientHeight / 2]"
    )
    # The link of n0 leads straight up from the switch in the middle.
    point_at(browser, at[0], at[1] - 60)
    text = tip(browser)
    assert text.startswith("n0 – switch")
    assert "128 KiB an operation" in text and "2 pairs of ranks" in text


def test_what_is_predicted_has_loads_and_no_pairs(opened):
    browser = opened("predicted")
    assert "predicted" in browser.find_element("tag name", "body").text
    at = browser.execute_script(
        "const c = document.getElementById('map'); return [c.clientWidth / 2, c.clientHeight / 2]"
    )
    point_at(browser, at[0], at[1] - 60)
    # What node 0 sends to the next one and gets from the one before.
    text = tip(browser)
    assert "16 KiB an operation, 163.8 MB/s" in text
    assert "pairs of ranks" not in text


def test_a_switch_says_what_passes_through_it(opened):
    browser = opened("crossbar")
    size = browser.find_element("id", "map").size
    point_at(browser, size["width"] / 2, size["height"] / 2)
    # Sixteen messages of 300, 280 and so on down to 180 MB/s, then again.
    total = sum(300 - rank % 7 * 20 for rank in range(16))
    assert tip(browser).startswith("switch") and f"{total} MB/s pass through it" in tip(browser)


def test_a_press_on_a_node_keeps_its_details(opened):
    from selenium.webdriver.common.action_chains import ActionChains

    browser = opened("crossbar")
    points = coloured(browser, "curve-2")
    point_at(browser, *points[len(points) // 2])
    ActionChains(browser).click().perform()
    text = browser.find_element("id", "chosen").text
    assert "4101 · user1" in text
    keys(browser, "\ue00c")
    assert "Choose a node" in browser.find_element("id", "chosen").text


def test_the_legend_filters_jobs(opened):
    browser = opened("torus")
    before = {curve: len(coloured(browser, curve)) for curve in ("curve-1", "curve-3")}
    entries = browser.find_elements("css selector", "#legend .job")
    assert [entry.text.split("\n")[0] for entry in entries] == [
        "job4100", "job4101", "job4103", "free", "down",
    ]  # fmt: skip
    entries[0].click()
    steady(browser)
    assert entries[0].get_attribute("aria-pressed") == "true"
    assert len(coloured(browser, "curve-3")) < before["curve-3"] / 10
    assert len(coloured(browser, "curve-1")) > before["curve-1"] / 2
    browser.find_element("id", "all").click()
    steady(browser)
    assert len(coloured(browser, "curve-3")) == before["curve-3"]


def test_search_finds_nodes_and_jobs_and_enter_chooses(opened):
    browser = opened("torus")
    box = browser.find_element("id", "find")
    box.send_keys("user1")
    assert browser.find_element("id", "found").text.startswith("128 found")
    box.clear()
    box.send_keys("n219\n")
    assert browser.find_element("css selector", "#chosen h3").text == "n219"
    assert "x 3, y 3, z 3" in browser.find_element("id", "chosen").text


def test_links_are_coloured_by_what_is_chosen(opened):
    browser = opened("torus")
    first = steady(browser)
    seen = [browser.find_element("css selector", "#scale .most").text]
    assert seen[0].endswith("MB/s")
    browser.execute_script(
        "const list = document.getElementById('measure'); list.value = 'bytes';"
        "list.dispatchEvent(new Event('change'))"
    )
    assert steady(browser) != first
    assert "KiB an operation" in browser.find_element("css selector", "#scale .most").text


def test_both_themes_paint_the_page_and_the_picture(opened):
    grounds = {}
    for theme in ("light", "dark"):
        browser = opened("torus", theme=theme)
        paper, ink = browser.execute_script(
            "const of = getComputedStyle(document.querySelector('.stage'));"
            "return [of.backgroundColor, getComputedStyle(document.body).color]"
        )
        grounds[theme] = lightness(paper)
        assert abs(lightness(paper) - lightness(ink)) > 120
        assert len(coloured(browser, "curve-3")) > 100
    assert grounds["light"] > 200 > 60 > grounds["dark"]


def test_tables_say_what_the_picture_shows(opened):
    browser = opened("tree")
    browser.execute_script("document.getElementById('nodes').open = true")
    wait_until(browser, "document.querySelectorAll('#nodes tbody tr').length === 64")
    first = browser.find_element("css selector", "#nodes tbody tr").text
    assert first.startswith("n0") and "4100" in first
    link = browser.find_element("css selector", "[data-link]")
    name = link.text
    browser.execute_script("arguments[0].click()", link)
    assert browser.find_element("css selector", "#chosen h3").text == name


def test_four_thousand_nodes_are_drawn_and_turn(opened):
    browser = opened("large")
    first = steady(browser)
    keys(browser, "\ue012")
    assert steady(browser) != first


def test_hostile_names_are_inert_and_stay_in_their_place(opened, browser):
    opened("hostile", width=390)
    assert browser.execute_script("return window.broken ?? null") is None
    assert browser.execute_script("return document.images.length") == 0
    assert "</script>" in browser.find_element("css selector", "#legend .name").text
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 390
    points = coloured(browser, "curve-1")
    point_at(browser, *points[len(points) // 2])
    assert "<img src=x" in tip(browser)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 390


def test_paper_gets_the_colours_of_paper(opened, browser):
    opened("torus", theme="dark")
    dark = len(coloured(browser, "curve-3"))
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        wait_until(browser, "getComputedStyle(document.body).colorScheme === 'light'")
        assert dark > 100 and len(coloured(browser, "curve-3")) > 100
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


@pytest.mark.parametrize(("name", "theme"), [("dragonfly", "light"), ("crossbar", "dark")])
def test_map_has_no_fault_that_axe_knows(opened, name, theme):
    package = pytest.importorskip("axe_core_python.selenium", reason="needs axe-core-python")
    browser = opened(name, theme=theme)
    browser.execute_script("document.getElementById('nodes').open = true")
    faults = package.Axe().run(browser)["violations"]
    assert [(fault["id"], fault["nodes"][0]["html"]) for fault in faults] == []
