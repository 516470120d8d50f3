"""Launches of other projects' tests: without leadline, and preloaded in several ways."""

import contextlib
import itertools
import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from leadline.core import paths
from leadline.core.errors import UserError
from leadline.measure.build import runtime_for
from leadline.measure.launch.preload import preloading
from leadline.measure.launch.start import start_for
from leadline.model.installation import Installation
from leadline.model.job import Job
from leadline.model.placement import Placement
from leadline.tune.prior import LIBRARIES, table_of
from leadline.tune.profile import machine_name

LIBRARY, SHARED, LEARNING, EXPLAIN = "library", "shared", "learning", "explain"
WAYS = (SHARED, LEARNING, EXPLAIN)
_COLLECTIVES = Path(__file__).parents[2] / "runtime" / "collectives"
# What unittest says at the end, without its seconds: more than whether all passed.
_COUNTED = re.compile(r"^(Ran \d+ tests?|OK.*|FAILED.*|NO TESTS RAN.*)", re.MULTILINE)
# Ranks whose lines a launcher has put together.
_RUN_ON = re.compile(r"(?<!\n)(?=Ran \d+ tests? in )")
_GRACE_S = 5
_RANKS_A_CORE = 4


class Outcome(msgspec.Struct, frozen=True):
    """How one launch of a test ended: `how` in words, `counts` as the test itself counted."""

    passed: bool
    how: str
    counts: tuple[str, ...] = ()

    def is_like(self, other: "Outcome") -> bool:
        """Tell whether both passed or both failed, with the same counts of their own."""
        return (self.passed, self.counts) == (other.passed, other.counts)


class Suite(msgspec.Struct, frozen=True):
    """A built suite: its folder, what starts a test, what a test says that passes, patience."""

    folder: Path
    before: tuple[str, ...]
    says: str
    patience_s: float

    def tests(self, match: str, folders: tuple[str, ...]) -> list[str]:
        """Return the tests' paths in the folder: those that can be executed, or start otherwise."""
        files = (each for each in sorted(self.folder.rglob(match)) if each.is_file())
        return [
            str(name)
            for each in files
            if (name := each.relative_to(self.folder))
            and (self.before or os.access(each, os.X_OK))
            and (not folders or any(name.is_relative_to(one) for one in folders))
        ]

    def patient(self, times: int) -> "Suite":
        """Return the suite with so many times the patience."""
        return msgspec.structs.replace(self, patience_s=self.patience_s * times)


class Preloaded(msgspec.Struct, frozen=True):
    """What is preloaded in one way, and its variables; whether it records the program."""

    library: Path
    settings: dict[str, str]
    records: bool = False


def prepared(
    installation: Installation,
    ways: tuple[str, ...],
    scratch: Path,
    say: Callable[[str], None],
) -> dict[str, Preloaded | None]:
    """Return what each way preloads, the library alone first. Builds the runtime."""
    runtime = runtime_for(installation, say)
    engine = runtime / paths.PRELOADED
    at_once = {"LEADLINE_PATIENCE": "1"}
    known: dict[str, Callable[[], Preloaded]] = {
        SHARED: lambda: Preloaded(
            engine,
            {
                **at_once,
                "LEADLINE_LEARN": "0",
                "LEADLINE_PROFILE": str(shared_everywhere(installation, engine, scratch)),
            },
        ),
        LEARNING: lambda: Preloaded(
            engine, {**at_once, "LEADLINE_LEARN": "1", **_prior(installation)}
        ),
        EXPLAIN: lambda: Preloaded(runtime / paths.RECORDING, {}, records=True),
    }
    return {LIBRARY: None, **{way: known[way]() for way in ways}}


def shared_everywhere(installation: Installation, library: Path, folder: Path) -> Path:
    """Write a profile that takes `shared` for each collective that the runtime replaces."""
    names = sorted(each.stem for each in _COLLECTIVES.glob("*.cpp"))
    rules = "".join(f'[[rule]]\ncollective = "{each}"\nalgorithm = "shared"\n' for each in names)
    head = f'format = 1\nmachine = "{machine_name(library)}"\n'
    file = folder / "shared.toml"
    file.write_text(f'{head}library = "{LIBRARIES[installation.family]}"\n{rules}')
    return file


def launched(
    suite: Suite,
    test: str,
    ranks: int,
    installation: Installation,
    ways: Mapping[str, Preloaded | None],
) -> dict[str, Outcome]:
    """Return how one test ended in each of the `ways`: together, as far as there are cores.

    Ranks of many spinning libraries wait for cores far longer than they run.
    """
    together = max(1, _RANKS_A_CORE * (os.cpu_count() or 1) // ranks)
    with ThreadPoolExecutor(min(together, len(ways))) as pool:
        ended = pool.map(lambda way: _ended(suite, test, ranks, installation, way), ways.values())
        return dict(zip(ways, ended, strict=True))


def read(status: int, output: str, says: str) -> Outcome:
    """Return what the end of a launch means: its exit status, and what it printed."""
    counts = tuple(
        f"{len(list(same))} x {line}" for line, same in itertools.groupby(_counted(output))
    )
    passed = status == 0 and says in output
    warned = [line for line in output.splitlines() if line.startswith("leadline: ")]
    last = [] if passed or counts else output.split("\n")[-2:-1]
    how = "passed" if passed else f"failed with status {status}"
    return Outcome(passed, "; ".join([how, *counts, *(warned[:1] or last)]), counts)


def _counted(output: str) -> list[str]:
    return sorted(found[0] for found in _COUNTED.finditer(_RUN_ON.sub("\n", output)))


def _prior(installation: Installation) -> dict[str, str]:
    table = table_of(installation.family)
    return {"LEADLINE_PRIOR": str(table)} if table else {}


def _ended(
    suite: Suite, test: str, ranks: int, installation: Installation, way: Preloaded | None
) -> Outcome:
    program = suite.folder / test
    job = Job(
        program=(*suite.before, str(program)),
        placement=Placement(1, ranks),
        environment={},
        bind=False,
        oversubscribe=True,
    )
    start = start_for(job, installation)
    argv, environment = start.argv, {**_clean(), **start.environment}
    with tempfile.TemporaryDirectory(prefix="leadline-test-") as folder:
        if way:
            settings = dict(way.settings)
            if way.records:
                settings["LEADLINE_EXPLAIN"] = tempfile.mkdtemp(dir=folder)
            preloaded = preloading(argv, installation, way.library, settings, environment)
            argv, environment = preloaded.argv, {**environment, **preloaded.environment}
        return _watched(argv, environment, Path(folder), suite)


def _clean() -> dict[str, str]:
    return {name: text for name, text in os.environ.items() if not name.startswith("LEADLINE")}


def _watched(
    argv: tuple[str, ...], environment: Mapping[str, str], folder: Path, suite: Suite
) -> Outcome:
    """Return how a launch ended. All that it started is ended when its time is over."""
    try:
        process = subprocess.Popen(
            argv,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        raise UserError(f"cannot start {argv[0]}: {error.strerror}") from None
    try:
        output, _ = process.communicate(timeout=suite.patience_s)
    except subprocess.TimeoutExpired:
        for signalled in _ending(process):
            with contextlib.suppress(subprocess.TimeoutExpired, ProcessLookupError):
                os.killpg(process.pid, signalled)
                process.communicate(timeout=_GRACE_S)
        return Outcome(False, f"not ended after {suite.patience_s:g} s")
    return read(process.returncode, output, suite.says)


def _ending(process: subprocess.Popen[str]) -> Iterator[signal.Signals]:
    for each in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is None:
            yield each
