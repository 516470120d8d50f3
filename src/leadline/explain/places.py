"""The lines of the source from which a program calls, by its debug information where it has any.

They are looked up when the program ends, and kept with its recording: a program is built again, and
copied away.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from leadline.core.processes import ask
from leadline.explain.recording import Site

_FILE = "lines.json"
# For all lines of one object; one with hundreds of megabytes of debug information takes longer.
_LIMIT_S = 5.0
Lines = Mapping[tuple[str, int], str]


def find_lines(
    sites: Collection[Site],
    before_s: float | None = None,
    trusts: Callable[[str], bool] = lambda _: True,
) -> Lines:
    """Return the lines of places, by object and address: `solver.c:42`.

    Where an object has none, places of one function are told apart by their addresses. Objects that
    were written after `before_s`, in seconds since the epoch, or that are not trusted, are not
    looked at.
    """
    addresses: dict[str, set[int]] = defaultdict(set)
    for site in sites:
        if site.address and Path(site.file).is_absolute() and trusts(site.file):
            addresses[site.file].add(site.address)
    found: dict[tuple[str, int], str] = {}
    for file, known in addresses.items():
        with suppress(OSError):
            if before_s is None or Path(file).stat().st_mtime <= before_s:
                found |= _lines_in(file, sorted(known))
    others = {site for site in sites if site.address and site.key not in found}
    alike = Counter((site.file, site.text) for site in others)
    return found | {
        site.key: f"{site.address:#x}" for site in others if alike[site.file, site.text] > 1
    }


def _lines_in(file: str, addresses: list[int]) -> dict[tuple[str, int], str]:
    """Return the lines of addresses in an object, by binutils' addr2line where that is there."""
    told = ask(("addr2line", "-e", file, *map(hex, addresses)), _LIMIT_S)
    lines = told.output.splitlines()
    if told.status or len(lines) != len(addresses):
        return {}
    # Such as `/home/a/solver.c:42 (discriminator 3)`; without a line, `??:0` or `solver.c:?`.
    names = [line.partition(" (")[0].rpartition("/")[2] for line in lines]
    return {
        (file, address): name
        for address, name in zip(addresses, names, strict=True)
        if name.rpartition(":")[2].strip("0?") and not name.startswith("?")
    }


def write_lines(folder: Path, lines: Lines) -> None:
    """Keep the lines in a recording's folder; without them, functions are named alone."""
    with suppress(OSError):
        told = [(file, address, line) for (file, address), line in lines.items()]
        (folder / _FILE).write_bytes(msgspec.json.encode(told))


def read_lines(folder: Path) -> Lines | None:
    """Return the lines that the recording in `folder` has kept, None where it has kept none."""
    try:
        told = msgspec.json.decode((folder / _FILE).read_bytes(), type=list[tuple[str, int, str]])
    except (OSError, msgspec.DecodeError):
        return None
    return {(file, address): line for file, address, line in told}
