"""What tells figures apart: the columns that a table needs beside its own."""

from collections.abc import Mapping, Sequence

from leadline.model.plan import Value
from leadline.model.summary import PointSummary

Fields = Mapping[str, Value]


def to_fields(point: PointSummary) -> dict[str, Value]:
    """Return benchmark, MPI and every choice of a figure by its name."""
    return {"benchmark": point.benchmark, "mpi": point.mpi, **point.axes, **point.conditions}


def varying(fields: Sequence[Fields]) -> list[str]:
    """Return the names of what differs between figures.

    >>> varying([{"mpi": "a", "bytes": 8}, {"mpi": "a", "bytes": 64, "pairs": 2}])
    ['bytes', 'pairs']
    """
    names = dict.fromkeys(name for each in fields for name in each)
    return [name for name in names if len({each.get(name) for each in fields}) > 1]
