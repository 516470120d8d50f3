"""Values of settings as people, variables and libraries write them."""

from collections.abc import Callable

from leadline.core.errors import UserError
from leadline.core.units import format_bytes, parse_bytes

_WORDS = {
    **dict.fromkeys(("true", "yes", "on", "enable", "enabled"), "1"),
    **dict.fromkeys(("false", "no", "off", "disable", "disabled"), "0"),
}


def same_value(one: str, other: str) -> bool:
    """Tell whether two texts mean the same value: a size, a number, yes or no, or a word.

    >>> same_value("16K", "16384"), same_value("1", "true"), same_value("ring", "linear")
    (True, True, False)
    """
    return _plain(one) == _plain(other)


def _plain(text: str) -> str | float:
    word = text.strip().casefold()
    word = _WORDS.get(word, word)
    for read in (float, parse_bytes):
        try:
            return float(read(word))
        except (ValueError, UserError):
            continue
    return word


def size_text(text: str) -> str:
    """Return the one spelling of a size of 1 byte or more. Raises `UserError`.

    >>> size_text("16384"), size_text("100")
    ('16K', '100')
    """
    size = parse_bytes(text)
    if size < 1:
        raise UserError("a size is 1 byte or more")
    return format_bytes(size).removesuffix("iB").removesuffix(" B").replace(" ", "")


def one_of(*words: str) -> Callable[[str], str]:
    """Return a function that returns one of the words, and raises `UserError` for any other."""

    def canonical(text: str) -> str:
        word = text.strip().lower()
        if word not in words:
            raise UserError(f"take {', '.join(words[:-1])} or {words[-1]}")
        return word

    return canonical
