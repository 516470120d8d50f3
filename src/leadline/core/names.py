"""Names: which one was meant where it was mistyped, and in which order they are."""

import difflib
import re
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path


def nearest(word: str, names: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the name that `word` most likely means, None where none is near; case is ignored.

    >>> nearest("Survye", ["placement", "survey"])
    'survey'
    """
    spelt = {name.lower(): name for name in names}
    found = difflib.get_close_matches(word.lower(), spelt, n=1, cutoff=cutoff)
    return spelt[found[0]] if found else None


def suggestion(word: str, names: Iterable[str], cutoff: float = 0.6) -> str:
    """Return the question that names what was meant, or else all names.

    >>> suggestion("survye", ["placement", "survey"]), suggestion("x", ["placement", "survey"])
    ('did you mean survey?', 'there is placement, survey')
    """
    known = list(names)
    near = nearest(word, known, cutoff)
    return f"did you mean {near}?" if near else f"there is {', '.join(known) or 'none'}"


def by_numbers(text: str) -> list[tuple[int, str]]:
    """Return a key that sorts texts by the numbers in them: `n9` before `n10`.

    >>> sorted(["n10", "n09", "n8", "m"], key=by_numbers)
    ['m', 'n8', 'n09', 'n10']
    """
    key = []
    for at, part in enumerate(re.split(r"([0-9]+)", text)):
        digits = part.lstrip("0")
        # Of two numbers without leading zeros the longer one is the larger.
        key.append((len(digits), digits) if at % 2 else (-1, part))
    return key


def not_there(words: Sequence[str]) -> str:
    """Return the program that a command starts, by its path, where that is not there.

    That is the first word behind the launcher which names a file: a shell has a line of its own,
    and what a program is given may well be made by it.

    >>> not_there(["mpirun", "-n", "2", "./nope", "/nor/this"])
    './nope'
    >>> not_there(["mpirun", "-n", "2", "sh", "./nope"])
    ''
    """
    for word in words[1:]:
        if shutil.which(word) or " " in word:
            return ""
        if word.startswith(("./", "../", "/")):
            return "" if Path(word).exists() else word
    return ""
