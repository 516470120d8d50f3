"""Errors of the user, failures in a program's own words, and what is said once."""

import re
import sys
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple


class UserError(Exception):
    """A mistake that the user can mend.

    Its text is one line that names the value, says what is allowed and what to do. The
    command line prints it on standard error and exits with status 2.
    """


class HomeError(UserError):
    """A mistake of leadline's own folder, which whatever is tried there meets again."""


# What to try where a program ended in one of these ways, whoever reports it.
CRASHED = "the program crashed; what it printed last is in stderr.txt"
ENDED = "the program ended by itself with that status; its own words are in stderr.txt"
GAVE_UP = "the program gave up; its own words are in stderr.txt"
MISSING = "the program is missing or may not be executed on that host"


class Failure(NamedTuple):
    """How a failure reads, as a regular expression over one line, and what to try."""

    pattern: str
    advice: str


def explain_first(failures: Iterable[tuple[str, str]], output: str) -> str | None:
    """Return the words of the first of `failures` that `output` contains, and the advice.

    `output` is one line. None where nothing matches.
    """
    for pattern, advice in failures:
        if match := re.search(pattern, output):
            return f"{match[0].strip()}: {advice}"
    return None


@cache
def say_once(text: str) -> None:
    """Print a line on standard error, unless this process has printed it before."""
    sys.stderr.write(f"leadline: {text}\n")
