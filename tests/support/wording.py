"""The vocabulary of what people read: what no sentence says, and how long one may be."""

import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatch

from leadline.model.summary import Finding

MOST_WORDS = 25
MOST_DIGITS = 3
_BANNED = (
    "so it is at",
    "of its own",
    "all the same",
    "besides?(?!=)",
    "is told",
    "(?:hold|held|holds) against",
    "(?:stands?|stood) for",
    "(?:goes|go|went) back to",
    "cannot be had",
    "cannot be told",
    "says? no",
    "no interval",
    "comes",
    "alike",
    "that which",
    "others",
    "is like that",
    "lies wrong",
    "less by",
    "times (?:as|more|less|what|longer|slower|faster)",
    "coefficient of variation",
    "probability of",
)
_NOT_PLAIN = re.compile(rf"\b(?:{'|'.join(_BANNED)})\b", re.IGNORECASE)
_FIGURE = re.compile(
    r"(?<![\w.,:/=-])(\d+(?:\.\d+)?)(?= ?%| (?:ns|us|ms|s|[kMG]B/s|[kMG]?Hz)\b|x(?![\w]))"
)
# What stands in brackets after a figure, and numbers with their units, are no words of a sentence.
_NO_WORD = re.compile(r"\([^)]*\)|\d[\d.,]*x?(?: (?:B|[KMG]iB|[kMG]B/s|[num]?s|%))?(?!\w)")
_COMMAND = re.compile(r"`|(?:^| )--\w|\bleadline (?!exec\b)\w")


def faults(text: str) -> Iterator[str]:
    """Yield what is wrong with a text for people: words, lengths, digits, ends."""
    for found in _NOT_PLAIN.finditer(text):
        yield f"says {found[0]!r}"
    for sentence in re.split(r"(?<=[.:;!?])\s", _NO_WORD.sub("", text)):
        words = [word for word in sentence.split() if re.search(r"\w", word)]
        if len(words) > MOST_WORDS:
            yield f"has a sentence of {len(words)} words"
    for figure in _FIGURE.finditer(text):
        if _digits(figure[1]) > MOST_DIGITS:
            yield f"has the figure {figure[0]} of {_digits(figure[1])} digits"
    if re.search(r"\de[-+]\d|  |\n|\.\.$| ,| \.$", text):
        yield "is no clean sentence"


def faults_of(finding: Finding, evidence: Mapping[str, str] | None = None) -> Iterator[str]:
    """Yield what is wrong with the words of a finding; `evidence` are the names that it may use."""
    yield from (f"text {fault}" for fault in faults(finding.text))
    if not re.search(r"[.!?)]$", finding.text) or "`" in finding.text:
        yield "text is no sentence, or has a command"
    if finding.advice is not None:
        yield from (f"advice {fault}" for fault in faults(finding.advice))
        if _COMMAND.search(finding.advice):
            yield "advice has a command"
        if not re.match(r"[A-Z]", finding.advice) or not finding.advice.endswith("."):
            yield "advice is no sentence"
    if finding.command is not None and (
        "\n" in finding.command or "`" in finding.command or not finding.command.strip()
    ):
        yield "command is no command line"
    if evidence is not None:
        yield from (f"evidence {name} is not explained" for name in _unknown(finding, evidence))


def _unknown(finding: Finding, known: Iterable[str]) -> Iterator[str]:
    for name in finding.evidence:
        # A ratio brings the ends of its interval.
        base = name.removesuffix("_low").removesuffix("_high")
        if not any(fnmatch(each, one) for one in known for each in (name, base)):
            yield name


def _digits(number: str) -> int:
    """Return how many digits of a number mean something.

    >>> _digits("0.0120"), _digits("12300")
    (3, 3)
    """
    if "." in number:
        return len(number.replace(".", "").lstrip("0"))
    return len(number.strip("0"))
