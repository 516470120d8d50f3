"""The grade of trust of a run: written when it is analysed, so that lists need no samples."""

from contextlib import suppress
from pathlib import Path

import msgspec

from leadline.core.errors import UserError
from leadline.model.verdict import Trust
from leadline.store.disk import replacing

FILE = "trust.json"


def keep_grade(folder: Path, trust: Trust) -> None:
    """Write the grade into a run's folder, if it is not there and can be written."""
    if read_grade(folder) == trust:
        return
    # A run that one may only read is shown all the same.
    with suppress(OSError, UserError), replacing(folder / FILE) as temporary:
        temporary.write_bytes(msgspec.json.encode(trust))


def read_grade(folder: Path) -> Trust | None:
    """Return the grade that was written, None where there is none yet."""
    try:
        return msgspec.json.decode((folder / FILE).read_bytes(), type=Trust)
    except (OSError, msgspec.MsgspecError):
        return None
