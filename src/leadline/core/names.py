"""Names that were mistyped: which of those that exist was meant."""

import difflib
from collections.abc import Iterable


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
