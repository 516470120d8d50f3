"""The texts of a page's templates that people see."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

import jinja2

# What stands for a value that a page fills in: a word.
_FILLED = "value"
_INLINE = {"a", "abbr", "b", "code", "em", "i", "small", "span", "strong", "sub", "sup"}
_HIDDEN = {"script", "style"}
_TOLD = ("alt", "aria-label", "placeholder", "title")


def visible_texts(template: str) -> Iterator[str]:
    """Yield each text of a template: of an element, of an attribute that is read, of a string."""
    page, strings = [], []
    inside = ""
    for _, kind, value in jinja2.Environment().lex(template):
        if kind == "data":
            page.append(value)
        elif kind == "variable_begin":
            inside = "variable"
            page.append(_FILLED)
        elif kind == "block_begin":
            inside = "block"
        elif kind in ("variable_end", "block_end"):
            inside = ""
        elif kind == "string" and inside:
            strings.append(value[1:-1])
    reader = _Reader()
    reader.feed("".join(page))
    reader.close()
    yield from (text for text in reader.texts() if re.search(r"[A-Za-z]{2}", text))
    # Names of files, classes and fields have no blank.
    yield from (text.replace("%d", "3") for text in strings if " " in text.strip())


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self._found: list[str] = [""]
        self._hidden = 0

    def texts(self) -> Iterator[str]:
        yield from (" ".join(text.split()) for text in self._found if text.strip())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in _HIDDEN
        if tag not in _INLINE:
            self._found.append("")
        told = [value for name, value in attrs if name in _TOLD and value]
        self._found[-1:-1] = told

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in _HIDDEN
        if tag not in _INLINE:
            self._found.append("")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._found[-1] += data
