"""The list of runs as it was asked for: filtered, sorted, cut into pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import msgspec

from leadline.core.errors import UserError
from leadline.output.server.catalogue import SIMULATED, Listed

PAGE = 50

# The columns of the list: heading, and what they are sorted by.
COLUMNS: dict[str, tuple[str, Callable[[Listed], Any]]] = {
    "run": ("Run", lambda run: run.run),
    "when": ("When", lambda run: (run.started or "", run.run)),
    "benchmarks": ("Benchmarks", lambda run: run.benchmarks),
    "mpi": ("MPI", lambda run: run.mpi),
    "placement": ("Placement", lambda run: run.placements),
    "machine": ("Machine", lambda run: run.host),
    "outcome": ("Outcome", lambda run: (run.state, run.message)),
    "size": ("Size", lambda run: run.size_bytes),
}


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which runs, in which order. Days are `YYYY-MM-DD`, `since` and `until` included.

    `words` must all be somewhere in the run's line. With `trials` the runs that tuning made to try
    its choices are listed too. What is empty asks for nothing.
    """

    words: str = ""
    benchmark: str = ""
    mpi: str = ""
    outcome: str = ""
    trials: str = ""
    since: str = ""
    until: str = ""
    sort: str = "when"
    order: str = "down"
    page: int = 1

    def query(self, **changes: Any) -> str:
        """Return this as the query of an address, with `changes`; defaults are left out."""
        asked = msgspec.structs.replace(self, **changes)
        return urlencode(
            {
                field.name: value
                for field in msgspec.structs.fields(self)
                if (value := getattr(asked, field.name)) != field.default
            }
        )


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """A page of the runs that were wanted. `found` of `all` runs are, on `pages` pages.

    `trials` counts those of tunings, whether they are listed or not.
    """

    runs: tuple[Listed, ...]
    found: int
    all: int
    trials: int
    page: int
    pages: int


def wanted(arguments: Mapping[str, str]) -> Wanted:
    """Return what the arguments of an address ask for.

    Raises `UserError` where one of them cannot be.
    """
    known = {field.name for field in msgspec.structs.fields(Wanted)} - {"page"}
    texts = {name: value.strip() for name, value in arguments.items() if name in known}
    asked = msgspec.structs.replace(Wanted(), **texts)
    if asked.sort not in COLUMNS:
        raise UserError(f"runs are not sorted by {asked.sort!r}: there are {', '.join(COLUMNS)}")
    if asked.order not in ("up", "down"):
        raise UserError(f"order {asked.order!r} is neither up nor down")
    page = arguments.get("page", "1")
    if not (page.isascii() and page.isdigit() and 0 < len(page) < 7 and int(page) > 0):
        raise UserError(f"page {page!r} is no number from 1")
    return msgspec.structs.replace(asked, page=int(page))


def select(runs: Sequence[Listed], asked: Wanted, per_page: int = PAGE) -> Selection:
    """Return the page that was asked for, or the last one that there is."""
    words = asked.words.lower().split()
    found = [run for run in runs if _matches(run, asked, words)]
    found.sort(key=COLUMNS[asked.sort][1], reverse=asked.order == "down")
    pages = max(1, -(-len(found) // per_page))
    page = min(asked.page, pages)
    return Selection(
        runs=tuple(found[(page - 1) * per_page : page * per_page]),
        found=len(found),
        all=len(runs),
        trials=sum(map(is_trial, runs)),
        page=page,
        pages=pages,
    )


def choices(runs: Sequence[Listed]) -> dict[str, list[tuple[str, int]]]:
    """Return what the runs can be filtered by, each with how many runs have it."""
    counts = {
        "benchmark": Counter(each for run in runs for each in run.benchmarks),
        "mpi": Counter(each for run in runs for each in run.mpi),
        "outcome": Counter(run.state for run in runs),
    }
    return {name: sorted(count.items()) for name, count in counts.items()}


# A tuning calls the plans of its trials by what it makes and the time of day.
_TRIAL = re.compile(r"(profile|library)\d{6}")


def is_measured(run: Listed) -> bool:
    """Tell whether leadline measured the run on a real machine."""
    return not run.program and not run.host.endswith(SIMULATED)


def is_trial(run: Listed) -> bool:
    """Tell whether a tuning made the run to try its choices."""
    return _TRIAL.fullmatch(run.name) is not None


def _matches(run: Listed, asked: Wanted, words: Sequence[str]) -> bool:
    day = (run.started or "")[:10]
    return (
        (bool(asked.trials) or not is_trial(run))
        and (not asked.benchmark or asked.benchmark in run.benchmarks)
        and (not asked.mpi or asked.mpi in run.mpi)
        and (not asked.outcome or asked.outcome == run.state)
        and (not asked.since or day >= asked.since)
        and (not asked.until or (day != "" and day <= asked.until))
        and (not words or all(word in _line(run) for word in words))
    )


def _line(run: Listed) -> str:
    texts = (run.run, run.name, *run.benchmarks, *run.mpi, *run.placements, run.host, run.program,
             *run.versions.values(), run.state, run.message)  # fmt: skip
    return " ".join(texts).lower()
