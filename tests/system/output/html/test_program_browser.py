"""The page of a recording as a browser shows it: nothing empty, nothing cut off, in both themes."""

import pytest
from recorded_runs import talking_ranks
from recordings import late_rank, write_node

from leadline.explain.bounds import Bounds
from leadline.explain.reading import read_recording
from leadline.explain.report import explain
from leadline.output.html.program import write_program

from chromium import lightness, show  # isort: skip
from obstacles import obstacles  # isort: skip

pytestmark = pytest.mark.browser

WIDE, PHONE = 1280, 400
RANKS = {"late": late_rank(size=64), "talk": talking_ranks(16)}


@pytest.fixture(scope="module", params=RANKS)
def path(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    write_node(folder / "recording", RANKS[request.param])
    page = folder / "page.html"
    write_program(page, explain(read_recording(folder / "recording"), Bounds(), run="R", mpi="m"))
    return page


@pytest.mark.parametrize("width", [WIDE, PHONE])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_is_empty_or_cut_off(browser, path, width, theme):
    assert show(browser, path.as_uri(), width=width, theme=theme) == []
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    bars = browser.execute_script(
        "return [...document.querySelectorAll('.owners svg, .all svg')].map(bar =>"
        " [bar.getBoundingClientRect().width, bar.querySelectorAll('rect').length])"
    )
    assert len(bars) > 16 and all(wide > 60 and parts for wide, parts in bars)
    paper, ink = map(lightness, browser.execute_script(
        "const style = getComputedStyle(document.body); return [style.backgroundColor, style.color]"
    ))  # fmt: skip
    assert (paper > ink) == (theme == "light") and abs(paper - ink) > 120


def test_axe_finds_no_obstacle(browser, path):
    for width in (PHONE, WIDE):
        show(browser, path.as_uri(), width=width)
        assert obstacles(browser) == []


def test_the_numbers_of_ranks_in_the_matrix_can_be_read(browser, path):
    if "talk" not in str(path):
        pytest.skip("this program sends nothing")
    show(browser, path.as_uri(), width=WIDE)
    heights = browser.execute_script(
        "return [...document.querySelectorAll('.scroll .matrix text')].map(text =>"
        " text.getBoundingClientRect().height)"
    )
    assert len(heights) == 2 * 16 + 2 and min(heights) > 9
