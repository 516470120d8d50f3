"""Names: which one was meant where it was mistyped, and in which order they are."""

import difflib
import re
from collections.abc import Iterable
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


def not_there(words: Iterable[str]) -> str:
    """Return the first word of a command that names a file by its path which is not there.

    >>> not_there(["mpirun", "-n", "2", "./nope", "/nor/this"])
    './nope'
    """
    by_path = (word for word in words if word.startswith(("./", "../", "/")))
    return next((word for word in by_path if not Path(word).exists()), "")
