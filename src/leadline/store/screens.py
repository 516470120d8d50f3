"""What screenings found, kept in the folders of their runs."""

from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path

import msgspec

from leadline.model.screen import Screen
from leadline.store.disk import replacing
from leadline.store.folder import RunFolder, run_paths

SCREEN_FILE = "screen.json"
# A health check every hour makes so many in a week: what is older was another machine.
_MOST_PAST = 168


def keep_screen(folder: RunFolder, screen: Screen) -> None:
    """Write what was found into the folder. Raises `UserError`."""
    with replacing(folder.path / SCREEN_FILE) as partial:
        partial.write_bytes(msgspec.json.format(msgspec.json.encode(screen), indent=1))


def last_screen(runs: Path, nodes: Collection[str]) -> Screen | None:
    """Return what the newest screening in `runs` found that had any of these nodes."""
    return next((each for each in _screens(runs) if set(each.nodes) & set(nodes)), None)


def past_screens(runs: Path) -> Iterator[Screen]:
    """Yield what screenings in `runs` found, the newest first, as far back as counts."""
    yield from islice(_screens(runs), _MOST_PAST)


def read_screen(folder: Path) -> Screen | None:
    """Return what the screening in this folder found; None where there is none to be read."""
    try:
        return msgspec.json.decode((folder / SCREEN_FILE).read_bytes(), type=Screen)
    except (OSError, msgspec.DecodeError):
        return None


def _screens(runs: Path) -> Iterator[Screen]:
    for path in reversed(run_paths(runs)):
        if found := read_screen(path):
            yield found
