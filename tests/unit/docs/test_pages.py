"""Pages are short, in plain words, and list what there is."""

import re

import pytest
from checkout import CHECKOUT

from leadline.output.terminal.tables import TABLE_NAMES

_DOCS = CHECKOUT / "docs"
# What a user reads first.
_READ = [
    CHECKOUT / "README.md",
    *(_DOCS / name for name in ("index.md", "tutorial.md", "troubleshooting.md")),
    *sorted(_DOCS.glob("how-to/*.md")),
]
_WRITTEN = sorted({*_READ, *_DOCS.rglob("*.md")} - {_DOCS / "reference" / "json.md"})
_WORDS_OF_A_SENTENCE = 30
_BANNED = (
    "so it is at", "all the same", "goes back to", "cannot be had", "says no", "hold against",
    "held against", "stands for", "is told where",
)  # fmt: skip
_BANNED_FIRST = (*_BANNED, "of its own", "beside", "alike", "no interval", "is told", "are told")


def _prose(path):
    text = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
    lines = [line for line in text.splitlines() if not line.startswith(("|", "#"))]
    return "\n".join(lines)


def _sentences(path):
    for paragraph in re.split(r"\n\s*\n|\n- |\n\d\. ", _prose(path)):
        text = re.sub(r"\]\([^)]*\)|\[", "", " ".join(paragraph.split()))
        yield from re.split(r"(?<=[.;:!?])\s+", text)


def _name(path):
    return str(path.relative_to(CHECKOUT))


@pytest.mark.parametrize("path", _WRITTEN, ids=_name)
def test_a_page_has_no_word_that_is_banned(path):
    banned = _BANNED_FIRST if path in _READ else _BANNED
    text = " ".join(_prose(path).split()).lower()
    found = [phrase for phrase in banned if re.search(rf"\b{phrase}\b", text)]
    assert found == []


@pytest.mark.parametrize("path", _READ[1:], ids=_name)
def test_sentences_are_short(path):
    long = [each for each in _sentences(path) if len(each.split()) > _WORDS_OF_A_SENTENCE]
    assert [each for each in long if each.count(",") < 8] == []  # lists are long


@pytest.mark.parametrize(
    ("pattern", "most"),
    [("how-to/*.md", 90), ("tutorial.md", 160), ("explanation/*.md", 500), ("../README.md", 90)],
)
def test_a_page_is_short(pattern, most):
    lengths = {path.name: len(path.read_text().splitlines()) for path in _DOCS.glob(pattern)}
    assert lengths
    assert {name: length for name, length in lengths.items() if length > most} == {}


def test_every_table_of_show_is_listed():
    page = (_DOCS / "reference" / "tables.md").read_text()
    section = page[: page.index("## Values of an axis")]
    rows = re.findall(r"^\| (`[^|]*`) \|", section, re.MULTILINE)
    told = {name for row in rows for name in re.findall(r"`([\w-]+)`", row)}
    assert told == set(TABLE_NAMES)
