"""Where what leadline ships beside its Python is: probes, plans, platforms, data sets."""

from pathlib import Path

from leadline.core.errors import UserError

_PACKAGE = Path(__file__).resolve().parents[1]


def source_folder(start: Path = _PACKAGE) -> Path:
    """Return the folder of CMakeLists.txt and probes/ that belongs to the package at `start`.

    An installed package carries them in `_sources`; in a checkout they are in a folder above.
    Raises `UserError` where there is neither.
    """
    for folder in (start / "_sources", *start.parents):
        if (folder / "CMakeLists.txt").is_file() and (folder / "probes").is_dir():
            return folder
    raise UserError(
        f"the probes' sources are not with leadline in {start}: install it again, or run it from "
        "its checkout"
    )
