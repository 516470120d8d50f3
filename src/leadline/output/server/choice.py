"""Which figure a page is asked for: its name as an address, and lists to choose another."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple
from urllib.parse import urlencode

from leadline.core.units import format_bytes
from leadline.output.server.catalogue import ResultName


class Field(NamedTuple):
    """One part of a figure's name to choose: `options` are value, text and number of runs."""

    name: str
    title: str
    value: str
    options: list[tuple[str, str, int]]


def query_of(name: ResultName) -> str:
    """Return the query of the address at which a figure is followed over time."""
    return urlencode({field: _as_text(value) for field, value in name._asdict().items()})


def fields(runs_with: dict[ResultName, int], name: ResultName) -> list[Field]:
    """Return the lists from which a figure is chosen, with `name` chosen.

    `runs_with` is how many runs have each figure. A list holds what goes with the values of the
    lists before it.
    """
    titles = {"benchmark": "Benchmark", "series": "Series", "variant": "Variant",
              "bytes": "Size", "place": "Placement"}  # fmt: skip
    left = runs_with
    found = []
    for position, (field, title) in enumerate(titles.items()):
        most: dict[Any, int] = defaultdict(int)
        for each, count in left.items():
            most[each[position]] = max(most[each[position]], count)
        if name[position] not in most:
            most[name[position]] = 0
        ordered = sorted(most.items(), key=lambda item: _order(item[0]))
        options = [(_as_text(value), _shown(field, value), count) for value, count in ordered]
        found.append(Field(field, title, _as_text(name[position]), options))
        left = {each: count for each, count in left.items() if each[position] == name[position]}
    return found


def nearest(runs_with: dict[ResultName, int], asked: dict[str, str]) -> ResultName | None:
    """Return the figure that has most of what was asked for, by the order of the fields, and of
    those the one that most runs have; None where there is no figure.
    """

    def likeness(name: ResultName) -> tuple[Any, ...]:
        same = tuple(
            _as_text(value) == asked[field] if field in asked else False
            for field, value in name._asdict().items()
        )
        return (*same, runs_with[name], *(-len(str(value)) for value in name))

    return max(runs_with, key=likeness, default=None)


def _as_text(value: str | int | None) -> str:
    return "" if value is None else str(value)


def _order(value: str | int | None) -> tuple[int, str]:
    return (value, "") if isinstance(value, int) else (-1, value or "")


def _shown(field: str, value: str | int | None) -> str:
    if field == "bytes":
        return format_bytes(value) if isinstance(value, int) else "no size"
    return str(value).replace("_", " ") if field == "series" else str(value) or "only one"
