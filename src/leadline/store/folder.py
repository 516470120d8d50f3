"""A run's folder: made, written as the run goes, and read back however the run ended."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from leadline.core.errors import UserError
from leadline.core.names import nearest
from leadline.core.processes import deferred
from leadline.model.run import RUN_FORMAT, Outcome, Run
from leadline.store.disk import replacing, writing
from leadline.store.launches import EVENTS, SAMPLES, LaunchFiles, collect_launch, noted_launch
from leadline.store.lock import FILE as LOCK_FILE
from leadline.store.lock import Lock, Writer, find_writer
from leadline.store.parquet import find_damage, write_parquet
from leadline.store.renamed import current_run


def recovered(run: Run, launches: Path, writer: Writer | None) -> Run:
    """Return `run` with the launches that `run.json` does not know yet, read from their folders.

    `launches` is the folder of the launch folders. Without a `writer`, the run and these launches
    are incomplete. A launch that began no point says nothing and is left out.
    """
    if writer:
        where = f"on {writer.host} as process {writer.pid}: only there can be seen whether it lives"
        outcome = Outcome(state="running", message="" if writer.certain else where)
    else:
        message = "leadline itself was killed"
        if run.batch:
            message += (
                f", and job {run.batch.job} of {run.batch.system} went on: "
                f"`leadline show {run.run} --recover` collects what it measured"
            )
        outcome = Outcome(state="incomplete", message=message)
    known = {launch.launch for launch in run.launches}
    every = list(run.launches)
    for folder in sorted(launches.iterdir()) if launches.is_dir() else []:
        if not folder.name.isdigit() or int(folder.name) in known:
            continue
        base = noted_launch(folder)
        if base and any(event["event"] == "begin" for event in LaunchFiles(folder).events):
            times = [path.stat().st_mtime for path in (folder, folder / EVENTS)]
            began, ended = (datetime.fromtimestamp(each, UTC) for each in times)
            base = msgspec.structs.replace(
                base,
                started=began.isoformat(timespec="seconds"),
                ended=ended.isoformat(timespec="seconds"),
                outcome=outcome,
            )
            every.append(collect_launch(folder, base))
    return msgspec.structs.replace(run, outcome=outcome, launches=every)


RUN_FILE = "run.json"
PARQUET = "samples.parquet"
RECORDING = "explain"
_RESERVE = "reserve"
_RESERVE_BYTES = 128 * 1024
_FULL_BYTES = 64 * 1024
_NUMBERS = re.compile(rb"\[\n[-+.eE\d,\s]*\]")
_NAME = re.compile(r"\d{4}-\d\d-\d\dT\d{6}-.+-[0-9a-f]{4}")
_TUNED = re.compile(r"T\d{6}-tune-.+-\d{6}-[0-9a-f]{4}$")


class _Format(msgspec.Struct):
    format: int


class RunFolder:
    """One run's folder. `path` is the folder, `parquet` the table of samples if there is one.

    `recording` is the folder of the recording of a program, of a run that is one.
    """

    def __init__(self, path: Path, lock: Lock | None = None) -> None:
        self.path = path
        self.parquet = path / PARQUET
        self.recording = path / RECORDING
        self._lock = lock

    @classmethod
    def create(cls, runs: Path, name: str) -> RunFolder:
        """Make a new folder in `runs`, called after the time (UTC) and `name`.

        As long as the folder object lives, readers know that the run is being written. Raises
        `UserError` when nothing can be written there.
        """
        slug = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:40].strip("-") or "run"
        with writing(runs):
            runs.mkdir(parents=True, exist_ok=True)
        while True:
            now = datetime.now(UTC)
            # The end is the fraction of the second: names are unique, and their order is time's.
            fraction = now.microsecond * 0x10000 // 1_000_000
            path = runs / f"{now:%Y-%m-%dT%H%M%S}-{slug}-{fraction:04x}"
            with writing(path), suppress(FileExistsError):
                path.mkdir()
                (path / "launches").mkdir()
                # Held back so that a run which fills the disk can still say so.
                (path / _RESERVE).write_bytes(b"\0" * _RESERVE_BYTES)
                return cls(path, Lock(path))

    @classmethod
    def open(cls, name: str, runs: Path) -> RunFolder:
        """Return the folder that `name` means: a name in `runs` or its unique beginning, `last`
        but for those that `tune` makes on its way, or a path (anything with a slash).

        Raises `UserError` that says which runs there are, or what is wrong with the folder.
        """
        folder = cls(find(name, runs))
        if not (folder.path / RUN_FILE).is_file():
            raise UserError(folder._describe_missing_run())
        return folder

    @property
    def name(self) -> str:
        """The folder's own name, which is the run's."""
        return self.path.absolute().name

    @property
    def writer(self) -> Writer | None:
        """The leadline that is writing to the folder, None where nobody does."""
        return find_writer(self.path)

    def check_unused(self, advice: str) -> None:
        """Raise `UserError` with the advice where a leadline writes to the folder, or may do so."""
        if (writer := self.writer) is None:
            return
        if writer.certain:
            raise UserError(f"run {self.name} is still being measured: {advice}")
        raise UserError(
            f"run {self.name} was being measured on {writer.host} (process {writer.pid}), and only "
            f"there can be seen whether it still is: go there, or remove {self.path / LOCK_FILE} "
            "if nobody measures it any more"
        )

    @property
    def is_full(self) -> bool:
        """Whether the disk has no room for more samples."""
        return shutil.disk_usage(self.path).free < _FULL_BYTES

    def launch_path(self, launch: int) -> Path:
        """Return where the files of a launch are."""
        return self.path / "launches" / f"{launch:03d}"

    def launch_folder(self, launch: int) -> Path:
        """Make the folder of a launch and return it."""
        path = self.launch_path(launch)
        with writing(path):
            path.mkdir(parents=True, exist_ok=True)
        return path

    def write(self, run: Run) -> None:
        """Write `run.json`, whole or not at all. Raises `UserError`, and the old one stays."""
        data = _compact(msgspec.json.format(msgspec.json.encode(run), indent=1))
        with replacing(self.path / RUN_FILE) as partial:
            partial.write_bytes(data)

    def read(self) -> Run:
        """Return the run. One that a killed leadline left as running comes back `incomplete`,
        with all points that were finished; the folder is not touched.

        Raises `UserError` that says what is wrong with `run.json`.
        """
        run = self.stored()
        if run.outcome.state == "running":
            return recovered(run, self.path / "launches", self.writer)
        return run

    def stored(self) -> Run:
        """Return what `run.json` holds. Raises `UserError` that says what is wrong with it."""
        path = self.path / RUN_FILE
        try:
            if path.exists() and not path.is_file():
                raise UserError(f"{path} is not a file: put back the one that leadline wrote")
            data = path.read_bytes()
            version = msgspec.json.decode(data, type=_Format).format
            if version != RUN_FORMAT:
                raise UserError(
                    f"{path} is in format {version}, this leadline reads format {RUN_FORMAT}: "
                    "use the leadline that wrote it"
                )
            return current_run(msgspec.json.decode(data, type=Run))
        except FileNotFoundError as error:
            raise UserError(self._describe_missing_run()) from error
        except OSError as error:
            raise UserError(f"{path} cannot be read: {error.strerror}") from error
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise UserError(f"{path} is damaged or not leadline's: {error}") from error

    def find_damage(self, run: Run) -> str:
        """Return why the samples of the run cannot be read, and what to do; nothing where they can.

        The ends of the table are looked at, not all of it.
        """
        advice = f"put it back from a copy, or `leadline runs remove {self.name}`"
        if self.parquet.exists():
            damage = find_damage(self.parquet)
            return f"{PARQUET} {damage}: {advice}" if damage else ""
        measured = [launch for launch in run.launches if launch.points]
        files = (self.launch_path(launch.launch) / SAMPLES for launch in measured)
        return "" if all(file.exists() for file in files) else f"{PARQUET} is gone: {advice}"

    def finish(self, run: Run) -> None:
        """Write `run`, and turn the launches' samples into `samples.parquet`.

        A `samples.bin` goes once all of it is in the table. When anything fails `UserError` says
        why, nothing is removed and the run stays readable. An interrupt waits until all this is
        done; a second one leaves the launches' samples alone.
        """
        with suppress(OSError):
            (self.path / _RESERVE).unlink(missing_ok=True)
        with _deferred_interrupts(self.name):
            self.write(run)
            if not (run.imported or run.explained or self.parquet.exists()):
                rows = write_parquet(run, self.path / "launches", self.parquet)
                for launch, stored in rows.items():
                    files = LaunchFiles(self.launch_path(launch))
                    if stored == files.available():
                        with suppress(OSError):
                            files.samples.unlink(missing_ok=True)
            self.close()

    @contextmanager
    def table(self) -> Iterator[Path]:
        """Give the Parquet file of the samples: the run's own, or one that is made for the block
        of a run that has none.
        """
        if self.parquet.exists():
            yield self.parquet
            return
        with tempfile.TemporaryDirectory() as temporary:
            path = Path(temporary) / PARQUET
            write_parquet(self.read(), self.path / "launches", path)
            yield path

    def recover(self) -> Run:
        """Finish a run whose leadline was killed: what `read` finds is written to the folder."""
        self.check_unused("wait until it ends")
        run = self.read()
        if not self.parquet.exists():
            self.finish(run)
        return run

    def _describe_missing_run(self) -> str:
        if self.writer:
            return f"run {self.name} is being prepared: it has no {RUN_FILE} yet"
        remove = f"`leadline runs remove {self.name}`"
        why = ""
        if self.parquet.exists() or any(self.path.glob(f"launches/*/{EVENTS}")):
            why = f", which says what its samples are: put it back from a copy, or {remove}"
        elif _NAME.fullmatch(self.name):
            why = f": leadline ended before it measured anything; {remove} removes what is left"
        return f"{self.path} is not a run folder: it has no {RUN_FILE}{why}"

    def close(self) -> None:
        """Let readers know that nobody writes to the folder any more."""
        if self._lock:
            self._lock.release()
            self._lock = None


@contextmanager
def _deferred_interrupts(name: str) -> Iterator[None]:
    merged = False
    try:
        with deferred():
            yield
            merged = True
    except KeyboardInterrupt:
        if merged:
            raise
        raise KeyboardInterrupt(
            f"interrupted: the samples of {name} are still those of its launches: "
            f"`leadline show {name} --recover` makes one table of them"
        ) from None


def _compact(document: bytes) -> bytes:
    """Return indented JSON with each list of numbers on one line: ranks have many neighbours."""
    # A line cannot break inside a text of JSON, so that none is touched.
    return _NUMBERS.sub(lambda found: b"".join(found[0].split()), document)


def run_paths(runs: Path) -> list[Path]:
    """Return the folders in `runs` that are runs by content or by name, oldest first.

    What has lost its `run.json` is among them.
    """
    if not runs.is_dir():
        return []
    folders = [p for p in runs.iterdir() if p.is_dir() and not p.is_symlink()]
    found = [p for p in folders if _NAME.fullmatch(p.name) or _holds_a_run(p)]
    return sorted(found, key=lambda path: (path.name[:17], path.name[-4:], path.name))


def _holds_a_run(folder: Path) -> bool:
    try:
        known = any((folder / name).is_file() for name in (RUN_FILE, PARQUET))
        return known or any(folder.glob(f"launches/*/{EVENTS}"))
    except OSError:  # somebody else's
        return False


def find(name: str, runs: Path) -> Path:
    """Return the path of the run that `name` means, as `RunFolder.open` says."""
    if "/" in name:
        path = Path(name)
        if not path.is_dir():
            raise UserError(f"there is no folder {name!r}: `leadline runs` lists the runs")
        return path
    paths = run_paths(runs)
    if name == "last" and paths:
        # Nobody asked for the runs of which `tune` makes its answer.
        asked = (path for path in reversed(paths) if not _TUNED.search(path.name))
        return next(asked, paths[-1])
    matches = [path for path in paths if name and path.name.startswith(name)]
    matches = [path for path in matches if path.name == name] or matches
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise UserError(
            f"{name!r} is the beginning of {len(matches)} runs, such as {matches[0].name} and "
            f"{matches[1].name}: write more of the name"
        )
    if not paths:
        raise UserError(f"no run {name!r} in {runs}, which has none: `leadline survey` makes one")
    near = nearest(name, ["last", *(path.name for path in paths)])
    listed = "`leadline runs` lists them"
    hint = f": did you mean {near}? ({listed})" if near else f": {listed}"
    raise UserError(f"no run {name!r} in {runs}{hint}")
