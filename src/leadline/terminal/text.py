"""Texts that come from elsewhere, made safe to show."""

_CONTROLS = {code: None for code in (*range(32), *range(127, 160)) if chr(code) != "\n"}


def printable(text: str) -> str:
    r"""Return `text` without control characters: a name must not move the cursor or set colours.

    >>> printable("node\x1b[31m17")
    'node[31m17'
    """
    return text.translate(_CONTROLS)
