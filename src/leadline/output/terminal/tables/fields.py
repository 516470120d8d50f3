"""What tells figures apart: the columns that a table needs beside its own."""

from collections.abc import Iterable, Mapping, Sequence

from leadline.model.plan import Value
from leadline.model.summary import PointSummary

Fields = Mapping[str, Value]


def to_fields(point: PointSummary, *without: str) -> dict[str, Value]:
    """Return benchmark, MPI and every choice of a figure by its name, but for those `without`."""
    fields = {"benchmark": point.benchmark, "mpi": point.mpi, **point.axes, **point.conditions}
    return {name: value for name, value in fields.items() if name not in without}


def varying(fields: Sequence[Fields]) -> list[str]:
    """Return the names of what differs between figures.

    >>> varying([{"mpi": "a", "bytes": 8}, {"mpi": "a", "bytes": 64, "pairs": 2}])
    ['bytes', 'pairs']
    """
    names = dict.fromkeys(name for each in fields for name in each)
    return [name for name in names if len({each.get(name) for each in fields}) > 1]


def values(fields: Fields, names: Iterable[str]) -> tuple[Value | None, ...]:
    """Return the values of these names, None where there is none."""
    return tuple(fields.get(name) for name in names)


def order(fields: Fields, names: Iterable[str]) -> tuple[str, ...]:
    """Return the values of these names as texts, by which rows can be sorted."""
    return tuple(str(fields.get(name, "")) for name in names)


def place(point: PointSummary) -> str:
    """Return the placement of a figure as NODESxPROCESSES_PER_NODE."""
    return f"{point.nodes}x{point.processes_per_node}"


def mark(points: Iterable[PointSummary]) -> str:
    """Return why figures must not be trusted as they stand, or an empty text."""
    every = list(points)
    if not all(point.verified for point in every):
        return "NOT VERIFIED"
    return "more processes than cores" if any(point.oversubscribed for point in every) else ""
