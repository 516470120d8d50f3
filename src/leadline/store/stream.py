"""Reading what a probe writes: `events.jsonl` and `samples.bin`.

The layout of a sample is not known here: the probe's own list of fields says it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from leadline.core.errors import UserError
from leadline.model.description import Field

if TYPE_CHECKING:
    import numpy as np

STREAM_FORMAT = 1

# What leadline needs of a sample, wherever and however wide the probe writes it.
_NEEDED = ("point", "repetition", "rank", "peer", "batch", "series", "flags", "seconds")


class EventReader:
    """Follows a growing `events.jsonl`: each call of `new` gives what came since the last one.

    Only complete lines are read, and none of them twice. A file that is not there yet has no
    events.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0
        self._line = 0

    def new(self) -> Iterator[dict[str, Any]]:
        """Yield the events of the complete lines that were not yielded before.

        Raises `UserError` at the line which is not an event, or when the first is not the start
        of a stream of the format that this version reads.
        """
        try:
            stream = self._path.open("rb")
        except FileNotFoundError:
            return
        except OSError as error:
            raise UserError(f"{self._path} cannot be read: {error.strerror}") from error
        with stream:
            stream.seek(self._offset)
            for line in stream:
                if not line.endswith(b"\n"):
                    return
                event = self._event(line)
                self._offset += len(line)
                self._line += 1
                yield event

    def _event(self, line: bytes) -> dict[str, Any]:
        try:
            event = msgspec.json.decode(line, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError):
            event = {}
        if not isinstance(event.get("event"), str):
            raise UserError(
                f"{self._path} line {self._line + 1} is not an event of a probe: "
                "the file is damaged or not leadline's"
            )
        if self._line == 0:
            self._check_start(event)
        return event

    def _check_start(self, event: dict[str, Any]) -> None:
        if event["event"] != "start":
            raise UserError(f"{self._path} does not begin with a start event: it is not leadline's")
        if event.get("format") != STREAM_FORMAT:
            raise UserError(
                f"{self._path} is in format {event.get('format')!r}, this leadline reads format "
                f"{STREAM_FORMAT}: use the leadline that wrote it, or build the probes again"
            )


def read_events(path: Path) -> list[dict[str, Any]]:
    """Return the events of all complete lines of `path`, none for a file that is not there.

    Raises `UserError` like `EventReader.new`.
    """
    return list(EventReader(path).new())


def sample_fields(start: dict[str, Any]) -> tuple[Field, ...]:
    """Return the layout of a sample from a `start` event. Raises `UserError` if it has none."""
    try:
        fields = msgspec.convert(start.get("sample"), tuple[Field, ...])
    except msgspec.ValidationError as error:
        raise UserError(
            f"the probe's start event does not describe its samples ({error}): build it again"
        ) from error
    missing = set(_NEEDED) - {field.name for field in fields}
    if missing:
        raise UserError(f"the probe's samples lack {', '.join(sorted(missing))}: build it again")
    return fields


def sample_dtype(fields: Sequence[Field]) -> np.dtype[Any]:
    """Return the numpy type of one record, packed in the order of the probe's `fields`.

    Raises `UserError` for a type that numpy does not know.
    """
    import numpy as np

    try:
        return np.dtype([(field.name, field.dtype) for field in fields])
    except (TypeError, ValueError) as error:
        layout = ", ".join(f"{field.name}:{field.dtype}" for field in fields)
        raise UserError(f"the probe's sample layout {layout!r} is not readable: {error}") from error


def sample_count(path: Path, fields: Sequence[Field]) -> int:
    """Return the number of whole records in `path`, 0 for a file that is not there."""
    return path.stat().st_size // sample_dtype(fields).itemsize if path.exists() else 0


def read_samples(
    path: Path, fields: Sequence[Field], start: int = 0, stop: int | None = None
) -> np.ndarray[Any, np.dtype[Any]]:
    """Return records `start` to `stop` of `path`, mapped from the file, not loaded.

    Shape (records,), type `sample_dtype(fields)`. A partial record at the end is left out; an
    empty or missing file has no records. Only the window is mapped, so that a reader who goes
    through a file of any length window by window needs the memory of one.
    """
    import numpy as np

    dtype = sample_dtype(fields)
    whole = sample_count(path, fields)
    stop = whole if stop is None else min(stop, whole)
    if start >= stop:
        return np.empty(0, dtype)
    return np.memmap(path, dtype, mode="r", offset=start * dtype.itemsize, shape=(stop - start,))
