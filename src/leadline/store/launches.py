"""One launch: the stream that its probe writes, `events.jsonl` and `samples.bin`, and its results.

The layout of a sample is not known here: the probe's own list of fields says it.
A point is finished when the probe said so (`point` event) and its samples are in `samples.bin`.
Samples of a point that was cut are in no figure: nobody verified its data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec

from leadline.core.errors import UserError
from leadline.model.description import Field
from leadline.model.run import (
    Clock,
    Launch,
    MachineReading,
    Outcome,
    PointResult,
    RankFacts,
    RankPlace,
    Skip,
)

if TYPE_CHECKING:
    import numpy as np

STREAM_FORMAT = 1

# What leadline needs of a sample, wherever and however wide the probe writes it.
_NEEDED = ("point", "repetition", "rank", "peer", "batch", "series", "flags", "seconds")


class EventReader:
    """Follows a growing `events.jsonl`: `new` gives the complete lines since the last call."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0
        self._line = 0

    def new(self) -> Iterator[dict[str, Any]]:
        """Yield the events that were not yielded before; none of a file that is not there.

        Raises `UserError` at a line which is no event, and for a stream of another format.
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
        kind, form = event.get("event"), event.get("format")
        if not isinstance(kind, str):
            raise UserError(
                f"{self._path} line {self._line + 1} is not an event of a probe: "
                "the file is damaged or not leadline's"
            )
        if self._line == 0 and kind != "start":
            raise UserError(f"{self._path} does not begin with a start event: it is not leadline's")
        if self._line == 0 and form != STREAM_FORMAT:
            raise UserError(
                f"{self._path} is in format {form!r}, this leadline reads format {STREAM_FORMAT}: "
                "use the leadline that wrote it, or build the probes again"
            )
        return event


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
    empty or missing file has no records.
    """
    import numpy as np

    dtype = sample_dtype(fields)
    whole = sample_count(path, fields)
    stop = whole if stop is None else min(stop, whole)
    if start >= stop:
        return np.empty(0, dtype)
    return np.memmap(path, dtype, mode="r", offset=start * dtype.itemsize, shape=(stop - start,))


EVENTS = "events.jsonl"
SAMPLES = "samples.bin"
_NOTE = "launch.json"

Form = TypeVar("Form", bound=msgspec.Struct)


class Block(NamedTuple):
    """Where the samples of a finished point are: records `start` to `stop` of `samples.bin`."""

    point: int
    start: int
    stop: int


class _Finished(msgspec.Struct, frozen=True):
    point: int
    records: int


class _Control(msgspec.Struct, frozen=True):
    name: str
    value: str


class _Facts(msgspec.Struct, frozen=True):
    facts: RankFacts


class LaunchFiles:
    """The stream of one launch folder, read once: its events, and where each point's samples are.

    `damage` says what is wrong with `events.jsonl`, and is empty when nothing is; the events
    before the damage count.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / EVENTS
        self.samples = folder / SAMPLES
        self.events: list[dict[str, Any]] = []
        self.fields: tuple[Field, ...] = ()
        self.damage = ""
        try:
            for event in EventReader(self._path).new():
                self.fields = self.fields or sample_fields(event)
                self.events.append(event)
        except UserError as error:
            self.damage = str(error)

    def blocks(self) -> list[Block]:
        """Return the finished points in the order in which they were measured."""
        finished = self.of("point", _Finished)
        starts = (0, *(each.records for each in finished))
        blocks = [Block(e.point, s, e.records) for e, s in zip(finished, starts, strict=False)]
        return [block for block in blocks if block.stop <= self.available()]

    def accepted(self, launch: Launch) -> list[Block]:
        """Return the blocks of the points that the run counts for this launch."""
        points = {result.point for result in launch.points}
        return [block for block in self.blocks() if block.point in points]

    def available(self) -> int:
        """Return the number of whole records in `samples.bin`."""
        return sample_count(self.samples, self.fields) if self.fields else 0

    def read(self, block: Block, at_most: int) -> Iterator[np.ndarray[Any, np.dtype[Any]]]:
        """Yield the records of a finished point, in windows of at most `at_most` records."""
        for start in range(block.start, block.stop, at_most):
            stop = min(start + at_most, block.stop)
            records = read_samples(self.samples, self.fields, start, stop)
            yield records[records["point"] == block.point]

    def facts(self) -> tuple[RankFacts, ...]:
        """Return what ranks said of their nodes."""
        return tuple(one.facts for one in self.of("facts", _Facts))

    def of(self, kind: str, form: type[Form]) -> list[Form]:
        """Return the events of one kind, in their typed form."""
        events = [_drop_nulls(each) for each in self.events if each["event"] == kind]
        try:
            return msgspec.convert(events, list[form])  # type: ignore[valid-type]
        except msgspec.ValidationError as error:
            raise UserError(f"{self._path} holds a {kind} event that is wrong: {error}") from error


def _drop_nulls(value: Any) -> Any:
    """Leave out what is null: a probe writes it for a number that is not finite."""
    if isinstance(value, dict):
        return {name: _drop_nulls(one) for name, one in value.items() if one is not None}
    return value


def note_launch(folder: Path, launch: Launch) -> None:
    """Keep what is known of a launch before it starts, for `noted_launch`."""
    (folder / _NOTE).write_bytes(msgspec.json.encode(launch))


def noted_launch(folder: Path) -> Launch | None:
    """Return what was known of the launch in `folder` before it started, None where nothing was."""
    try:
        return msgspec.json.decode((folder / _NOTE).read_bytes(), type=Launch)
    except (OSError, msgspec.DecodeError):
        return None


def has_ended(folder: Path) -> bool:
    """Tell whether the probe has said its last word in a launch's folder."""
    events = read_events(folder / EVENTS)
    return bool(events) and events[-1]["event"] == "end"


def collect_launch(folder: Path, base: Launch) -> Launch:
    """Return `base` with what the probe recorded in the launch folder `folder`.

    How it ended is the launcher's to say; only a stream that is damaged turns `complete` into
    `incomplete`, with the points before the damage.
    """
    files = LaunchFiles(folder)
    finished = {block.point for block in files.blocks()}
    start = files.events[0] if files.events else {}
    clocks = files.of("clock", Clock)
    outcome = base.outcome
    if files.damage and outcome.state == "complete":
        outcome = Outcome(state="incomplete", message=files.damage)
    return msgspec.structs.replace(
        base,
        outcome=outcome,
        library=str(start.get("library", "")),
        standard=str(start.get("standard", "")),
        clock=clocks[-1] if clocks else None,
        ranks=tuple(files.of("rank", RankPlace)),
        points=tuple(p for p in files.of("point", PointResult) if p.point in finished),
        skipped=tuple(files.of("skip", Skip)),
        readings=tuple(files.of("yardstick", MachineReading)),
        facts=files.facts(),
        controls={one.name: one.value for one in files.of("control", _Control)},
    )
