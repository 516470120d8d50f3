"""Texts that come from elsewhere, made safe to show."""

# No table is worth a longer cell; JSON has all of it.
_LONGEST = 100

# Those of Unicode that turn the direction of writing would turn the rest of a line too.
_DIRECTIONS = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_CONTROLS = {
    code: None for code in (*range(32), *range(127, 160), *_DIRECTIONS) if chr(code) != "\n"
}


def printable(text: str) -> str:
    r"""Return `text` without control characters: a name must not move the cursor or set colours.

    >>> printable("node\x1b[31m17")
    'node[31m17'
    """
    return text.translate(_CONTROLS)


def one_line(text: str) -> str:
    r"""Return `text` as one line that cannot change the terminal, and not too long.

    >>> one_line("a\n\x1b[31mb")
    'a [31mb'
    """
    line = " ".join(printable(text).split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
