"""Recognising a failure in the words of the program that reports it."""

import re
from collections.abc import Iterable
from typing import NamedTuple


class Failure(NamedTuple):
    """How a failure reads, as a regular expression over one line, and what to try."""

    pattern: str
    advice: str


def explain_first(failures: Iterable[Failure], output: str) -> str | None:
    """Return the words of the first of `failures` that `output` contains, and the advice.

    `output` is one line. None where nothing matches.
    """
    for failure in failures:
        if match := re.search(failure.pattern, output):
            return f"{match[0].strip()}: {failure.advice}"
    return None
