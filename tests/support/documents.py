"""The command lines that the documents hold."""

import re
import shlex
from functools import cache

from checkout import CHECKOUT

DOCUMENTS = [*CHECKOUT.glob("*.md"), *(CHECKOUT / "docs").rglob("*.md")]


def blocks(text, language=""):
    """Return the code blocks of a language."""
    found = re.findall(r"^ *```(\w*)\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)
    return [block for of, block in found if of == language]


def commands():
    """Return the lines of code blocks that are commands of leadline, each once."""
    found = [block for path in DOCUMENTS for block in blocks(path.read_text())]
    lines = [line.strip() for block in found for line in block.splitlines()]
    return list(dict.fromkeys(line for line in lines if line.startswith("leadline ")))


def mentions():
    """Return the commands within sentences; they may hold placeholders.

    The history of changes has commands that are gone.
    """
    now = [path.read_text() for path in DOCUMENTS if path.name != "CHANGELOG.md"]
    prose = "\n".join(re.sub(r"```.*?```", "", text, flags=re.S) for text in now)
    found = re.findall(r"`(leadline [a-z][^`]*)`", prose)
    return list(dict.fromkeys(" ".join(each.split()) for each in found))


def words_of(line):
    """Return the words of a command line after `leadline`, and before `>`."""
    words = shlex.split(line, comments=True)[1:]
    return words[: words.index(">")] if ">" in words else words


@cache
def _sources():
    probes = CHECKOUT / "probes"
    return [path.read_text() for path in (*probes.rglob("*.cpp"), *probes.rglob("*.hpp"))]


@cache
def declared(pattern):
    """Return the names that the probes' sources declare in this way."""
    return {name for text in _sources() for name in re.findall(pattern, text)}
