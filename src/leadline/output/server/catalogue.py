"""What runs there are: one entry each, read again only where its folder changed."""

from __future__ import annotations

import hashlib
import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from leadline.core.errors import UserError
from leadline.model.run import Run
from leadline.output.server.inspection import inspect
from leadline.store.folder import PARQUET, RUN_FILE, run_paths
from leadline.store.history import asked
from leadline.store.lock import find_writer
from leadline.store.overview import FILE as GRADE_FILE
from leadline.store.overview import Overview, overview, unreadable

# What follows the name of a machine that was simulated.
SIMULATED = ", simulated"

Signature = tuple[object, ...]


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
    """A run that was looked at. A `recording` of a program has no figures.

    `alike` is the same of runs that were asked for the same on the same machine, and `confirms`
    names the run whose slow figures this one measured again. As long as `signature` is the same,
    so is all that can be said of the run.
    """

    path: Path
    listed: Listed
    signature: Signature
    recording: bool = False
    alike: str = ""
    confirms: str = ""

    @property
    def key(self) -> tuple[str, Signature]:
        """What is another one when the run has changed."""
        return self.listed.run, self.signature


class Catalogue:
    """All runs of a folder."""

    def __init__(self, runs: Path) -> None:
        self.runs = runs
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
            signature = _signature(path, Entry(path, listed, ()))
        if run is None:
            return Entry(path, listed, signature)
        recording = bool(run.explained)
        alike = "" if recording or run.imported else _alike(run, listed.host)
        return Entry(path, listed, signature, recording, alike, run.confirms)


def printable(name: str) -> str:
    """Return a name of a file as text that can be written, whatever its bytes."""
    return os.fsencode(name).decode("utf-8", "replace")


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
    files = [path / name for name in (RUN_FILE, PARQUET, GRADE_FILE)]
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
