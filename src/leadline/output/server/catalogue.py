"""What runs there are: one entry each, read again only where its folder changed."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import msgspec

from leadline.core.errors import UserError
from leadline.model.run import Run, variant
from leadline.model.screen import Screen
from leadline.model.summary import PointSummary
from leadline.output.server.inspection import inspect
from leadline.store.folder import PARQUET, RUN_FILE, run_paths
from leadline.store.history import SCREEN_FILE, asked, read_screen
from leadline.store.lock import find_writer
from leadline.store.overview import FILE as GRADE_FILE
from leadline.store.overview import Overview, overview, unreadable

# What follows the name of a machine that was simulated.
SIMULATED = ", simulated"

Signature = tuple[object, ...]


class ResultName(NamedTuple):
    """What a figure of several runs has in common, whatever the MPI. `place` is such as `1x2`."""

    benchmark: str
    series: str
    variant: str
    bytes: int | None
    place: str

    def query(self) -> str:
        """Return the query of the address at which the figure is followed over time."""
        fields = self._asdict()
        return urlencode({name: "" if each is None else each for name, each in fields.items()})


class Listed(Overview, frozen=True, kw_only=True):
    """A run in the list: its overview, and where and with what it measured.

    `versions` are family and version of each installation that it names, `program` is what printed
    the figures of an import.
    """

    name: str = ""
    host: str = ""
    processor: str = ""
    kernel: str = ""
    versions: dict[str, str] = msgspec.field(default_factory=dict)
    program: str = ""


class Entry(NamedTuple):
    """A run that was looked at, with the names of its figures.

    A `recording` of a program has none. `alike` is the same of runs that were asked for the same on
    the same machine, and `confirms` names the run whose slow figures this one measured again.
    `screen` has the suspects of a screening. As long as `signature` is the same, so is all that can
    be said of the run.
    """

    path: Path
    listed: Listed
    figures: tuple[ResultName, ...]
    signature: Signature
    recording: bool = False
    alike: str = ""
    confirms: str = ""
    screen: Screen | None = None

    @property
    def key(self) -> tuple[str, Signature]:
        """What is another one when the run has changed."""
        return self.listed.run, self.signature

    @property
    def is_readable(self) -> bool:
        """Whether the folder is a sound run."""
        return self.listed.state not in ("unreadable", "damaged")


class Catalogue:
    """All runs of a folder."""

    def __init__(self, runs: Path) -> None:
        self.runs = runs
        # The same name is one object, however many runs have it.
        self._names: dict[ResultName, ResultName] = {}
        self._entries: dict[str, Entry] = {}
        self._lock = threading.Lock()

    def entries(self) -> dict[str, Entry]:
        """Return all runs by name, the oldest first, as they are now."""
        with self._lock:
            found: dict[str, Entry] = {}
            for path in run_paths(self.runs):
                name = printable(path.name)
                known = self._entries.get(name)
                signature = _signature(path, known)
                if known is None or known.signature != signature:
                    known = self._look(path, signature)
                found[name] = known
            self._entries = found
            return found

    def _look(self, path: Path, signature: Signature) -> Entry:
        try:
            inspect(path)
            seen, run = overview(path)
        except UserError as error:
            seen, run = unreadable(path, str(error)), None
        except Exception as error:  # a strange folder must not hide the others
            seen, run = unreadable(path, f"not a run: {type(error).__name__}: {error}"), None
        seen = msgspec.structs.replace(seen, message=seen.message.replace(f"{path}/", ""))
        listed = _to_row(seen, run)
        if listed.state == "running":
            signature = _signature(path, Entry(path, listed, (), ()))
        if run is None:
            return Entry(path, listed, (), signature)
        names = tuple(self._names.setdefault(name, name) for name in figure_names(run))
        recording = bool(run.explained)
        alike = "" if recording or run.imported else _alike(run, listed.host)
        screen = read_screen(path)
        return Entry(path, listed, names, signature, recording, alike, run.confirms, screen)


def name_of(figure: PointSummary) -> ResultName:
    """Return the name of a figure."""
    return ResultName(
        figure.benchmark,
        figure.series,
        variant(figure.axes, figure.conditions),
        _size(figure.axes.get("bytes", figure.bytes if not figure.samples else None)),
        f"{figure.nodes}x{figure.processes_per_node}",
    )


def figure_names(run: Run) -> Iterator[ResultName]:
    """Yield the name of each figure that the run has or was to have, once."""
    if run.imported:
        yield from dict.fromkeys(name_of(figure) for figure in run.imported.figures)
        return
    series = {each.name: [one.name for one in each.series] for each in run.benchmarks}
    yield from dict.fromkeys(
        ResultName(
            point.benchmark,
            name,
            variant(point.axes, point.conditions),
            _size(point.axes.get("bytes")),
            str(point.placement),
        )
        for point in run.points
        for name in series.get(point.benchmark, ())
    )


def printable(name: str) -> str:
    """Return a name of a file as text that can be written, whatever its bytes."""
    return os.fsencode(name).decode("utf-8", "replace")


def _size(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _to_row(seen: Overview, run: Run | None) -> Listed:
    fields = {name: getattr(seen, name) for name in seen.__struct_fields__}
    fields["run"], fields["folder"] = printable(seen.run), printable(seen.folder)
    if run is None:
        return Listed(**fields)
    return Listed(
        **fields,
        name=run.plan.name,
        host=f"{run.platform.name}{SIMULATED}" if run.platform else _text(run, "host"),
        processor=_text(run, "cpu_model"),
        kernel=_text(run, "kernel"),
        versions={one.name: f"{one.family} {one.version}" for one in run.installations},
        program=run.imported.program if run.imported else "",
    )


def _alike(run: Run, host: str) -> str:
    try:
        wanted = msgspec.json.encode((asked(run.plan), host), order="deterministic")
    except (UserError, UnicodeError, ValueError, TypeError, OverflowError):
        return ""  # a strange plan is like no other
    return hashlib.sha256(wanted).hexdigest()[:16]


def _text(run: Run, fact: str) -> str:
    value = run.machine.get(fact)
    return value if isinstance(value, str) else ""


def _signature(path: Path, known: Entry | None) -> Signature:
    """Return what changes when the run does; more of one that is being measured."""
    files = [path / name for name in (RUN_FILE, PARQUET, GRADE_FILE, SCREEN_FILE)]
    moving: tuple[object, ...] = ()
    if known and known.listed.state == "running":
        moving = (find_writer(path),)
        with suppress(OSError):
            files += [Path(each) / "events.jsonl" for each in os.scandir(path / "launches")]
    return (*moving, *(_state(file) for file in files))


def _state(file: Path) -> tuple[int, ...]:
    try:
        status = file.lstat()
    except OSError:
        return ()
    return status.st_ino, status.st_mtime_ns, status.st_size
