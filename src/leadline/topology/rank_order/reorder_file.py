"""Orders in files, in the syntax of Cray's MPICH_RANK_ORDER, and orders by name or file."""

import re
from functools import cache
from pathlib import Path

from leadline.core.errors import UserError
from leadline.model.placement import Placement
from leadline.topology.rank_order.order import NAMED, Order, check_order

# What method 3 of MPICH_RANK_REORDER_METHOD reads.
DEFAULT_FILE = "MPICH_RANK_ORDER"
_METHODS = {**{str(number): name for number, name in enumerate(NAMED)}, "3": DEFAULT_FILE}
_WORD = re.compile(r"(\d{1,7})(?:-(\d{1,7}))?")
_MOST_RANKS = 1 << 22


def parse_ranks(text: str, source: str) -> list[int]:
    r"""Return the ranks that `text` lists: numbers and ranges, separated by commas or line ends.

    A range may descend; `#` begins a comment. The first ranks go to the first node.

    >>> parse_ranks("0-2,7 # the first node\n6-3", "text")
    [0, 1, 2, 7, 6, 5, 4, 3]

    Raises `UserError` that names `source`, the line and the word which cannot be read.
    """
    ranks: list[int] = []
    for number, line in enumerate(text.splitlines(), 1):
        for word in line.partition("#")[0].replace(",", " ").split():
            match = _WORD.fullmatch(word)
            if not match:
                raise UserError(
                    f"{source}, line {number}: {word!r} is no rank: write ranks and ranges with "
                    "commas, such as 0,4-7,3-1"
                )
            first, last = int(match[1]), int(match[2] or match[1])
            if len(ranks) + abs(last - first) >= _MOST_RANKS:
                raise UserError(f"{source}, line {number}: more than {_MOST_RANKS} ranks")
            step = 1 if last >= first else -1
            ranks += range(first, last + step, step)
    if not ranks:
        raise UserError(f"{source} names no rank: write ranks and ranges, such as 0,4-7,3-1")
    return ranks


def read_ranks(path: str) -> tuple[int, ...]:
    """Return the ranks in the file `path`, which is read once. Raises `UserError`."""
    return _read(path, Path.cwd())


@cache
def _read(path: str, folder: Path) -> tuple[int, ...]:
    try:
        text = (folder / path).read_text()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not text"
        raise UserError(
            f"order {path!r} cannot be read ({reason}): take {', '.join(NAMED)} (or 0, 1, 2), or "
            f"a file of ranks (3 is {DEFAULT_FILE})"
        ) from error
    return tuple(parse_ranks(text, path))


def canonical(text: str) -> str:
    """Return the name of the order that `text` means, by name, number or file.

    Raises `UserError` for a file that cannot be read.
    """
    name = _METHODS.get(text, text)
    if name not in NAMED:
        read_ranks(name)
    return name


def order_for(text: str, placement: Placement) -> Order:
    """Return the order called `text` for a placement. Raises `UserError`."""
    name = _METHODS.get(text, text)
    return (
        NAMED[name](placement) if name in NAMED else check_order(read_ranks(name), placement, name)
    )
