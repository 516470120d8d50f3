"""What ranks send to each other: by the pattern of a grid, or a matrix in a file."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from leadline.core.errors import UserError
from leadline.topology.rank_order.grid import Extents, Major, positions
from leadline.topology.rank_order.order import Order, node_of_each

# From sender and receiver to messages or bytes.
Traffic = Mapping[tuple[int, int], float]


def halo(
    extents: Extents, periodic: bool = True, major: Major = "row"
) -> dict[tuple[int, int], float]:
    """Return the messages of one exchange of each rank with its neighbours across faces.

    On a periodic grid the edges are neighbours, so that a rank may be its own, or have the same
    one on both sides, as in the halo benchmarks.
    """
    place = positions(extents, major)
    rank_at = {position: rank for rank, position in enumerate(place)}
    messages: dict[tuple[int, int], float] = {}
    for rank, position in enumerate(place):
        for dimension, length in enumerate(extents):
            for step in (-1, 1):
                there = position[dimension] + step
                if not (periodic or 0 <= there < length):
                    continue
                to = rank_at[(*position[:dimension], there % length, *position[dimension + 1 :])]
                messages[rank, to] = messages.get((rank, to), 0.0) + 1.0
    return messages


def waits(neighbours: Sequence[Sequence[int]]) -> dict[tuple[int, int], float]:
    """Return a message from each rank to each that waits for it; `neighbours` are whom each awaits.

    >>> waits([[1], [0, 2], []])
    {(1, 0): 1.0, (0, 1): 1.0, (2, 1): 1.0}
    """
    return {(source, rank): 1.0 for rank, sources in enumerate(neighbours) for source in sources}


def leaving(traffic: Traffic, order: Order) -> list[float]:
    """Return how much each node sends to other nodes.

    >>> leaving({(0, 1): 5.0, (1, 0): 2.0, (1, 2): 1.0}, ((0, 1), (2, 3)))
    [1.0, 0.0]
    """
    nodes = node_of_each(order)
    sent = [0.0] * len(order)
    for (source, to), amount in traffic.items():
        if nodes[source] != nodes[to]:
            sent[nodes[source]] += amount
    return sent


_MARKET = "%%MatrixMarket matrix coordinate "
_SYMMETRIES = ("general", "symmetric")


def read_matrix(path: Path, ranks: int) -> dict[tuple[int, int], float]:
    """Return what each rank sends to each other, from the file `path`.

    CSV has a row for each sender and a column for each receiver. Matrix Market (`.mtx`) counts from
    1, `symmetric` or `general`, and its `pattern` means one message each. What a rank sends to
    itself is left out. Raises `UserError` that names the line which is wrong.
    """
    try:
        lines = path.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not text"
        raise UserError(f"matrix {path} cannot be read ({reason})") from error
    is_market = path.suffix == ".mtx" or bool(lines and lines[0].startswith("%%MatrixMarket"))
    found = _market(lines, path, ranks) if is_market else _table(lines, path, ranks)
    traffic = {(a, b): amount for (a, b), amount in found.items() if a != b and amount > 0}
    if not traffic:
        raise UserError(f"matrix {path}: no rank sends anything to another")
    return traffic


def _table(lines: Sequence[str], path: Path, ranks: int) -> dict[tuple[int, int], float]:
    rows = [row for row in csv.reader(lines) if row]
    if len(rows) != ranks:
        raise UserError(f"matrix {path} has {len(rows)} rows for {ranks} ranks: write one for each")
    found = {}
    for sender, row in enumerate(rows):
        if len(row) != ranks:
            raise UserError(
                f"matrix {path}, row {sender + 1}: {len(row)} numbers for {ranks} ranks"
            )
        for receiver, text in enumerate(row):
            found[sender, receiver] = _amount(text, f"{path}, row {sender + 1}")
    return found


def _market(lines: Sequence[str], path: Path, ranks: int) -> dict[tuple[int, int], float]:
    kind = lines[0].lower().split() if lines else []
    if kind[:3] != ["%%matrixmarket", "matrix", "coordinate"] or kind[-1] not in _SYMMETRIES:
        raise UserError(f"matrix {path}: its first line is not `{_MARKET}real general`")
    body = [
        (number, line.split())
        for number, line in enumerate(lines, 1)
        if line.strip() and not line.startswith("%")
    ]
    if not body or body[0][1][:2] != [str(ranks)] * 2:
        raise UserError(f"matrix {path} is not one of {ranks} by {ranks}, one line for each rank")
    found: dict[tuple[int, int], float] = {}
    for number, words in body[1:]:
        where = f"{path}, line {number}"
        if not 2 <= len(words) <= 3 or not (words[0].isdigit() and words[1].isdigit()):
            raise UserError(f"matrix {where}: write sender, receiver and amount")
        sender, receiver = int(words[0]) - 1, int(words[1]) - 1
        if not (0 <= sender < ranks and 0 <= receiver < ranks):
            raise UserError(f"matrix {where}: ranks are counted from 1 to {ranks} here")
        found[sender, receiver] = _amount(words[2], where) if len(words) == 3 else 1.0
        if kind[-1] == "symmetric":
            found[receiver, sender] = found[sender, receiver]
    return found


def _amount(text: str, where: str) -> float:
    try:
        amount = float(text)
    except ValueError:
        amount = math.nan
    if not (math.isfinite(amount) and amount >= 0):
        raise UserError(f"matrix {where}: {text.strip()!r} is not an amount: write 0 or more")
    return amount
