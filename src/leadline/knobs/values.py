"""Values of settings as people, variables and libraries write them."""

from leadline.errors import UserError
from leadline.units import parse_bytes

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
    try:
        return float(word)
    except ValueError:
        pass
    try:
        return float(parse_bytes(word))
    except UserError:
        return word
