"""The reference of variables and knobs has those of the code, and no others."""

import re

import pytest

from leadline.measure.knobs.known import knobs

# Those of the built-in stand-in for an MPI, which only tests use.
_OF_TESTS = {
    "LEADLINE_FAKE_CLOCK_DRIFT",
    "LEADLINE_FAKE_CLOCK_OFFSET",
    "LEADLINE_FAKE_SPELL_AFTER",
    "LEADLINE_FAKE_SPELL_SHARE",
    "LEADLINE_FAKE_SPELL_TIMES",
}
# Knobs of leadline's own commands, which set them themselves.
_INTERNAL = {"beside"}


@pytest.fixture(scope="module")
def page(documents, root):
    return lambda name: documents[root / "docs" / "reference" / name]


def test_variables_are_those_of_the_sources(page, root):
    folders = ("src", "runtime", "algorithms", "probes")
    texts = (
        path.read_text()
        for folder in folders
        for path in (root / folder).rglob("*")
        if path.suffix in (".py", ".cpp", ".hpp")
    )
    read = {name for text in texts for name in re.findall(r'"(LEADLINE(?:_[A-Z_]+)?)"', text)}
    told = set(re.findall(r"`(LEADLINE(?:_[A-Z_]+)?)`", page("variables.md")))
    assert len(read) > 15
    assert told == read - _OF_TESTS


def test_knobs_are_those_of_the_code(page):
    table = re.findall(r"^\| `(\w+)` \| ", page("knobs.md"), re.MULTILINE)
    assert set(table) == set(knobs()) - _INTERNAL
