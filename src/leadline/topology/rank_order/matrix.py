"""Communication matrices in files: CSV, or the coordinate lines of Matrix Market."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path

from leadline.core.errors import UserError

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
