"""The site builds in strict mode, and its pages load nothing from elsewhere."""

import re
import subprocess
import sys

import pytest
from checkout import CHECKOUT

pytest.importorskip("mkdocs", reason="the site needs mkdocs: tools/setup docs")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    # Not with --quiet, under which no warning counts.
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder]
    made = subprocess.run(words, cwd=CHECKOUT, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    return folder


def test_every_page_is_there(site):
    pages = {path.relative_to(CHECKOUT / "docs") for path in (CHECKOUT / "docs").rglob("*.md")}
    assert len(pages) > 40
    assert all((site / page.with_suffix(".html")).exists() for page in pages)


def test_pages_load_nothing_from_elsewhere(site):
    loads = re.compile(
        r"<(?:script|img|iframe|source)[^>]+src=\"?(https?:)?//"
        r"|<link[^>]+rel=\"?(?:stylesheet|preconnect|preload)[^>]+href=\"?(https?:)?//"
    )
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 40
    assert [page.name for page in pages if loads.search(page.read_text())] == []


def test_words_are_found(site):
    index = (site / "search" / "search_index.json").read_text()
    assert "rendezvous" in index and "eager_limit" in index
