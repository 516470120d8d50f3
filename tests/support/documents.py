"""The command lines that the documents hold."""

import re
import shlex
from functools import cache
from typing import NamedTuple

from checkout import CHECKOUT

_COMMAND = re.compile(r"^(?!===|#)(?:.*[ (/])?leadline [a-z-]+\b")
DOCUMENTS = [*CHECKOUT.glob("*.md"), *(CHECKOUT / "docs").rglob("*.md")]


def blocks(text, language=""):
    """Return the code blocks of a language."""
    found = re.findall(r"^ *```(\w*)\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)
    return [block for of, block in found if of == language]


class Shown(NamedTuple):
    """Command lines of a page, and what the page shows that they print."""

    commands: list[str]
    output: str


def shown(path):
    """Return what a page shows in its order, and the text of each plan that it names and shows.

    A block of commands may have other lines of the shell, which are left out. A block without
    any is what those above it print. A plan is named in the text above its block.
    """
    found, plans, at, text = [], {}, 0, path.read_text()
    for block in re.finditer(r"^ *```\w*\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL):
        lines = [] if block[1].startswith("===") else block[1].splitlines()
        above = re.findall(r"`([\w-]+\.toml)`", text[at : block.start()])
        if typed := [line for line in lines if _COMMAND.match(line)]:
            if found and not found[-1].output:
                found[-1].commands.extend(typed)
            else:
                found.append(Shown(typed, ""))
        elif block[1].startswith("launches") and above:
            plans[above[-1]] = block[1]
        elif found:
            found[-1] = found[-1]._replace(output=f"{found[-1].output}{block[1]}\n")
        at = block.end()
    return found, plans


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
