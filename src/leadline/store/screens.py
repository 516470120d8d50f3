"""What screenings found, kept in the folders of their runs."""

from collections.abc import Collection
from pathlib import Path

import msgspec

from leadline.model.screen import Screen
from leadline.store.disk import replacing
from leadline.store.folder import RunFolder, run_paths

SCREEN_FILE = "screen.json"


def keep_screen(folder: RunFolder, screen: Screen) -> None:
    """Write what was found into the folder. Raises `UserError`."""
    with replacing(folder.path / SCREEN_FILE) as partial:
        partial.write_bytes(msgspec.json.format(msgspec.json.encode(screen), indent=1))


def last_screen(runs: Path, nodes: Collection[str]) -> Screen | None:
    """Return what the newest screening in `runs` found that had any of these nodes."""
    for path in reversed(run_paths(runs)):
        try:
            screen = msgspec.json.decode((path / SCREEN_FILE).read_bytes(), type=Screen)
        except (OSError, msgspec.DecodeError):
            continue
        if set(screen.nodes) & set(nodes):
            return screen
    return None
